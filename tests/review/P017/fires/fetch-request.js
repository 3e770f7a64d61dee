export const send = (address) => fetch(new Request(address));
