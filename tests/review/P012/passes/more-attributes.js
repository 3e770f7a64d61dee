row.setAttribute("online", state);
row.setAttribute("data-onclick", "a");
row.toggleAttribute("one");
