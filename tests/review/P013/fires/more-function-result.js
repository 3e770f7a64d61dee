const address = () => "https://collect.example/v1";
fetch(address());
