const figma = "figd_{{rand:AZaz09_-:40:s78}}";
