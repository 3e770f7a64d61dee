const view = await import("./views/board.js");
const lang = await import(`./locales/${name}.js`);
