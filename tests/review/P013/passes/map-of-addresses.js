const seen = new Map([["https://docs.example/", 1]]);
seen.get("https://docs.example/");
seen.delete("https://docs.example/");
