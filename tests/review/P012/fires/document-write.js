document.open();
document.write(answer);
document.close();
