const key = [
  "-----BEGIN PRIVATE KEY-----",
  "MIIE{{rand:AZaz09+/:60:s124}}",
  "{{rand:AZaz09+/:64:s125}}",
  "-----END PRIVATE KEY-----",
].join("\n");
