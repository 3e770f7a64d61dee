import { read } from './store.js';

if ('serviceWorker' in navigator) {
  navigator.serviceWorker.register('sw.js');
}
const answer = await fetch(`https://tides.example.org/api/${read()}`);
document.querySelector('#tides').textContent = await answer.text();
