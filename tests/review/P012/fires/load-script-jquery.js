jQuery.getScript("https://cdn.example/plugin.js", start);
