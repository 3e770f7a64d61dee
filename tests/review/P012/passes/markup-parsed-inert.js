const tree = new DOMParser().parseFromString("<p>hello</p>", "text/html");
