if (link.href.startsWith("javascript:")) link.removeAttribute("href");
const blocked = /^\s*javascript:/i;
