panel.setHTMLUnsafe(`<b>${title}</b><script>${code}</script>`);
