const CDN = { host: "https://cdn.example" };
const version = "3.1.0";
await import(`${CDN.host}/board@${version}/index.js`);
