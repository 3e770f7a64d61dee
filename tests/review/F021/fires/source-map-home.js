start();
//# sourceMappingURL=/Users/ada/board/dist/board.js.map
