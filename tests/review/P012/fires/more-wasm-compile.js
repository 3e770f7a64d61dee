const module = await WebAssembly.compileStreaming(await fetch("https://cdn.example/a.wasm"));
