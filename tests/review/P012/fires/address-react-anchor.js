import { jsx as _jsx } from "react/jsx-runtime";
export const Close = () => _jsx("a", { href: "javascript:close()", children: "Close" });
