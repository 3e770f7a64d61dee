import React from "react";
export const Head = () => React.createElement("script", { src: "https://cdn.example/a.js", async: true });
