panel.outerHTML = `<p>${title}</p><script>${code}</script>`;
