const m = await import("data:text/javascript;base64," + btoa(code));
