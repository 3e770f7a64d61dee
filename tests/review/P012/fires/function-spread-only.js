export const compile = (parts) => Function(...parts);
