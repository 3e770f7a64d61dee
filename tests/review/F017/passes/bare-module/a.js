import "react";
export {};
