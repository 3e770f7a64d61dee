[navigator.clipboard][0].writeText(text);
