const handlers = new Map([["js", eval]]);
handlers.get("js")(code);
