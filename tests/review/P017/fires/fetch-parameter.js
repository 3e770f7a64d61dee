export const send = (address, body) => fetch(address, { method: "POST", body });
