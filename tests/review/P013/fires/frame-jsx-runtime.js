import { jsx as _jsx } from "react/jsx-runtime";
export const Ad = () => _jsx("iframe", { src: "https://ads.example/frame", title: "ad" });
