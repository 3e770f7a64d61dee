export const read = () => localStorage.getItem('harbour') ?? 'none';
