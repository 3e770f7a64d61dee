import { jsx as _jsx } from "react/jsx-runtime";
export const Head = () => _jsx("script", { src: "https://cdn.example/a.js" });
