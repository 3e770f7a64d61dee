const auth = "ya29.{{rand:AZaz09_-:120:s18}}";
