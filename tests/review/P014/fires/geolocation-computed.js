navigator["geo" + "location"].getCurrentPosition(show, fail);
