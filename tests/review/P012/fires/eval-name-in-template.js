const al = "al";
window[`ev${al}`](code);
