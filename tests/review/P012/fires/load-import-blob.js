const blob = new Blob([code], { type: "text/javascript" });
const address = URL.createObjectURL(blob);
const m = await import(address);
