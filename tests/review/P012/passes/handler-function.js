button.onclick = () => run();
button.addEventListener("click", run);
button.setAttribute("one", "run()");
