window.addEventListener('message', (event) => {
  const row = document.querySelector('#board').insertRow();
  row.insertCell().textContent = event.data.line;
});
