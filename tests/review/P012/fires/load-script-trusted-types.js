const el = document.createElement("script");
el.src = policy.createScriptURL("https://cdn.example/a.js");
