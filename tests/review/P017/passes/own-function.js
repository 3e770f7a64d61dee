function fetch(address) { return cache.get(address); }
fetch(address);
