// Where the console lies: beside its script, wherever a proxy has put both.

const script = document.currentScript;

/** The folder of the console, with a slash at its end. */
export const CONSOLE = new URL(".", script instanceof HTMLScriptElement ? script.src : location.href).href;

/** The address of the registry, without a slash at its end. */
export const REGISTRY = new URL("..", CONSOLE).href.replace(/\/$/, "");
