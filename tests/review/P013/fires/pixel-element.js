const i = document.createElement("img");
i.src = `https://collect.example/p.gif?u=${user}`;
