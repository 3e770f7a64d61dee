import { html } from "lit";
export const view = () => html`<img src="https://collect.example/p.png" alt="">`;
