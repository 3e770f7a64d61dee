window.jQuery || document.write('<script src="https://cdn.example/jquery.js"><\/script>');
