document.querySelector('#send').addEventListener('click', () => {
  fetch('https://cookbook.example.org/api/recipes', { method: 'POST', body: document.title });
});
