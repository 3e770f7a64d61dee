window.open(answer.url);
