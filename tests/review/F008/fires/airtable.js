Airtable.configure({ apiKey: "pat{{rand:AZaz09:14:s76}}.{{rand:09af:64:s77}}" });
