const d = document;
export const read = () => d["cookie"];
