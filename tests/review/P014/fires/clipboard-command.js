field.select();
document.execCommand("Copy");
