row.setAttribute("onclick", "remove(" + id + ")");
