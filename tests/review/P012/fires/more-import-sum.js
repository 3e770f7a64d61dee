const load = async (name) => (await import("https://cdn.example/" + name + ".js")).default;
