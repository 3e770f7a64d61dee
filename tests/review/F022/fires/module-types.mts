export type Place = string;
export const a = "b" satisfies Place;
