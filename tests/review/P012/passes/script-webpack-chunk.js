var script = document.createElement("script");
script.charset = "utf-8";
script.timeout = 120;
script.src = url;
document.head.appendChild(script);
