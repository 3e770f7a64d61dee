export const send = (address) => fetch(address);
