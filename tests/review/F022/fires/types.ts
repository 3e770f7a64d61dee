export interface Place { name: string }
export const place: Place = { name: "a" };
