document.body.setHTMLUnsafe("<img src=x onerror=run()>");
