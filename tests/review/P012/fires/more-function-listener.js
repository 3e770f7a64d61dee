addEventListener("click", Function("event", code));
