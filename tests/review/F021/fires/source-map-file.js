start();
//# sourceMappingURL=file:///home/ada/board.js.map
