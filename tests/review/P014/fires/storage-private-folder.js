const root = await navigator.storage.getDirectory();
