const config = { apiKey: "{{rand:AZaz09:32:s161}}" };
