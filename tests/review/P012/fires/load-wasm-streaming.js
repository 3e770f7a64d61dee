const bytes = fetch("https://cdn.example/a.wasm");
const { instance } = await WebAssembly.instantiateStreaming(bytes, {});
