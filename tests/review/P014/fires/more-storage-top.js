top.localStorage.clear();
