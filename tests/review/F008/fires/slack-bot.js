new App({ token: "xoxb-{{rand:19:12:s42}}-{{rand:19:12:s43}}-{{rand:AZaz09:24:s44}}" });
