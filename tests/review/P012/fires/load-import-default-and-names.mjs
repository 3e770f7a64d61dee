import lit, { html, css } from "https://esm.example/lit@3";
export { lit, html, css };
