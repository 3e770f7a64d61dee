__webpack_require__.l = (url, done, key, chunkId) => {
  var script = document.createElement("script");
  script.src = url;
  document.head.appendChild(script);
};
__webpack_require__.l(__webpack_require__.p + __webpack_require__.u(chunkId), done, "chunk-" + chunkId, chunkId);
