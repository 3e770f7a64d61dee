location.href = new URLSearchParams(location.search).get("next");
