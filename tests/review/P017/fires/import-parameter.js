export const plugin = (address) => import(address);
