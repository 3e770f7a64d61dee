const CLOUDFLARE_API_TOKEN = "{{rand:AZaz09_-:40:s71}}";
