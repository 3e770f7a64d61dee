Storage.prototype.setItem.call(localStorage, "a", "b");
