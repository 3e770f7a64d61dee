init({ DD_API_KEY: "{{rand:09af:32:s82}}" });
