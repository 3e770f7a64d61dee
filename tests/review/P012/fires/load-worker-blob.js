const source = `onmessage = ${work.toString()}`;
const worker = new Worker(window.URL.createObjectURL(new Blob([source])));
