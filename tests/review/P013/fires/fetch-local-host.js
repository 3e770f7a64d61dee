fetch("http://localhost:3000/api");
