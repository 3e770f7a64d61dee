async function show() {
  const answer = await fetch('https://rates.example.org/v1/today');
  const { rate } = await answer.json();
  localStorage.setItem('rate', String(rate));
  document.querySelector('#rate').textContent = rate;
}
show();
