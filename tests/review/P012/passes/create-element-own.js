import React from "react";
export const Row = () => React.createElement("a", { href: "https://docs.example/", onClick: open }, "Docs");
