enum Api { Url = "https://collect.example/v1" }
fetch(Api.Url);
