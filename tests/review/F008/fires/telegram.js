fetch("https://api.telegram.org/bot{{rand:19:10:s53}}:AA{{rand:AZaz09_-:33:s54}}/getMe");
