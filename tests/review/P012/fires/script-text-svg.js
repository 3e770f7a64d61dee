const s = document.createElementNS("http://www.w3.org/2000/svg", "script");
s.textContent = code;
svg.append(s);
