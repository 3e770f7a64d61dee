const wallet = new Wallet("0x{{rand:09af:64:r3}}");
