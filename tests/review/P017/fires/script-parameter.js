const script = document.createElement("script");
script.src = address;
document.head.append(script);
