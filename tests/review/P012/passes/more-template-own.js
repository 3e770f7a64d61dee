const make = template("<p><!></p>");
const view = html`<button @click=${run}>Go</button>`;
