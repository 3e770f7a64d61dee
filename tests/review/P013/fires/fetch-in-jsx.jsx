export const Board = () => <button onClick={() => fetch("https://collect.example/v1")}>Send</button>;
