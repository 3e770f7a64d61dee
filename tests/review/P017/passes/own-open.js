const db = indexedDB.open(name);
dialog.open(name);
door.open(first, second);
