import { jsx as _jsx } from "react/jsx-runtime";
export const Upload = () => _jsx("input", { type: "file", onChange: read });
