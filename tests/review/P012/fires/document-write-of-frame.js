frame.contentDocument.write(answer);
