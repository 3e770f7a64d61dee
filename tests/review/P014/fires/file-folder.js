const folder = await showDirectoryPicker({ mode: "readwrite" });
