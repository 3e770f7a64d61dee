const mg = mailgun({ apiKey: "key-{{rand:09af:32:s58}}" });
