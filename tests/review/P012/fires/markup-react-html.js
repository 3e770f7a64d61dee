import { jsx as _jsx } from "react/jsx-runtime";
export const Banner = () => _jsx("div", { dangerouslySetInnerHTML: { __html: "<img src=x onerror=run()>" } });
