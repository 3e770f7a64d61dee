export const a = <T,>(b: T): T => b;
export const c = <p>{a<string>("b")}</p>;
