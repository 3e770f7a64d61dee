const host = "collect.example";
fetch(`https://${host}/v1/${id}`);
