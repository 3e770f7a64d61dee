document.cookie = `seen=1; max-age=${60 * 60}`;
