(function (d) {
  var s = d.createElement("script");
  s.type = "text/javascript";
  try { s.appendChild(d.createTextNode(code)); } catch (e) { s.text = code; }
  d.body.appendChild(s);
})(document);
