init("sdk-{{rand:09af:8:h12}}-{{rand:09af:4:h13}}-4{{rand:09af:3:h14}}-a{{rand:09af:3:h15}}-{{rand:09af:12:h16}}");
