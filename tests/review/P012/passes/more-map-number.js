const numbers = texts.map(Number).filter(Boolean);
const list = Array.from(texts, String);
