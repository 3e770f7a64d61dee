const context = new AudioContext();
await context.audioWorklet.addModule("https://cdn.example/gain.js");
