document.body.innerHTML += `<svg onload="run()"></svg>`;
