link.setAttribute("href", `javascript:${code}`);
