const key = `-----BEGIN EC PRIVATE KEY-----
MIIE{{rand:AZaz09+/:60:s110}}
{{rand:AZaz09+/:64:s111}}
{{rand:AZaz09+/:64:s112}}
{{rand:AZaz09+/:64:s113}}
{{rand:AZaz09+/:64:s114}}
{{rand:AZaz09+/:64:s115}}
{{rand:AZaz09+/:64:s116}}
-----END EC PRIVATE KEY-----`;
