const command = "refresh(" + id + ")";
const later = command;
window.setTimeout(later, 500);
