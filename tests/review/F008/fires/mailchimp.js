const chimp = "{{rand:09af:32:s59}}-us12";
