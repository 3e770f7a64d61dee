const snippet = `<script src="https://cdn.example/a.js"></script>`;
code.textContent = snippet;
await copy(snippet);
