button.onclick = new Function("event", code);
