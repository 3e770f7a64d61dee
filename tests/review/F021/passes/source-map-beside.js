start();
//# sourceMappingURL=board.js.map
