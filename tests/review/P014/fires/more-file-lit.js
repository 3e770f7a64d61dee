export const view = () => html`<input type="file">`;
