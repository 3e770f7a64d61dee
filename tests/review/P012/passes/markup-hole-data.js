panel.innerHTML = `<script type="application/json">${data}</script>`;
