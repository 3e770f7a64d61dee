start();
//# sourceMappingURL=board.js.map
//# sourceURL=https://cdn.example/board.js
