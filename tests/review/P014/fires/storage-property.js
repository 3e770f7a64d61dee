localStorage.theme = "dark";
delete localStorage.old;
