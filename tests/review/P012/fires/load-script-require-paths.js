requirejs.config({ paths: { jquery: "https://cdn.example/jquery.min" } });
