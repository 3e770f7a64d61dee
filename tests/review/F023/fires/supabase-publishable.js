createClient(url, "sb_publishable_{{rand:AZaz09_-:31:f4}}");
