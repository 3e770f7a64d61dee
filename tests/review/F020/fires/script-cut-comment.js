start();
/* and then
