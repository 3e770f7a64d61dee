fetch("?page=" + page);
location.hash = place;
history.pushState(null, "", address);
