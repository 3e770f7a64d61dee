panel.innerHTML = `<h2>${title}</h2><a href="${link}"><img src="${picture}" alt=""></a>`;
button.setAttribute("data-" + name, value);
