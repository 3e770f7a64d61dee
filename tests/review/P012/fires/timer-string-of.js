setTimeout(String(code), 10);
