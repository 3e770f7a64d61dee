export const privateKey = "0x{{rand:09af:64:r4}}";
