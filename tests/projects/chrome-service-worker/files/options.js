document.querySelector('#minutes').value = localStorage.getItem('minutes') ?? '60';
