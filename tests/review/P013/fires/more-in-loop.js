for (const address of ["https://collect.example/v1"]) fetch(address);
