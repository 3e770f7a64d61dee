fetch("./data.txt")
  .then((answer) => answer.text())
  .then(eval);
