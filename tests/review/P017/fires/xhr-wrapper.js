function send(method, address) {
  const request = new XMLHttpRequest();
  request.open("GET", address);
  request.send();
}
