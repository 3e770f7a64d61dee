localStorage.setItem("place", place);
document.cookie = "seen=1";
indexedDB.open("board");
