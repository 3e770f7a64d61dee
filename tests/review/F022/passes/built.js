import { jsx as _jsx } from "react/jsx-runtime";
export const Board = () => _jsx("main", { children: "Weather" });
