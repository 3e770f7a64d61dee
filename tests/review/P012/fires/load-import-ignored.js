const three = await import(/* webpackIgnore: true */ "https://cdn.example/three.module.js");
