// localStorage
const text = "localStorage";
