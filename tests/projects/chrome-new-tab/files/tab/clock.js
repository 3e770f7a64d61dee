setInterval(() => {
  document.querySelector('#now').textContent = new Date().toLocaleTimeString();
}, 1000);
