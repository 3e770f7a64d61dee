globalThis["local" + "Storage"].clear();
