import { createElementVNode as _createElementVNode } from "vue";
const _hoisted_1 = /*#__PURE__*/ _createElementVNode("script", { src: "https://cdn.example/a.js" }, null, -1);
