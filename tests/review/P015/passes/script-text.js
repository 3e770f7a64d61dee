const page = "<button onclick=\"a()\">";
const css = "p { color: red }";
