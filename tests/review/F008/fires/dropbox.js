const dropbox = "sl.{{rand:AZaz09_-:135:s81}}";
