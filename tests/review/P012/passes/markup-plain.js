box.innerHTML = `<p class="note">${escape(text)}</p><button data-onclick="a">Go</button>`;
