panel.insertAdjacentHTML("beforeend", `<p>${title}</p><img src="x" onerror="${code}">`);
