export const Board = () => <main><h1>Weather</h1></main>;
