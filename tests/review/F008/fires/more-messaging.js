const server = "AAAA{{rand:AZaz09_-:7:h17}}:APA91b{{rand:AZaz09_-:134:h18}}";
