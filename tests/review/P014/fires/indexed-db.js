const open = (window.indexedDB || window.webkitIndexedDB).open("board", 1);
