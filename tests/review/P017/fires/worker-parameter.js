export const run = (address) => new Worker(address);
