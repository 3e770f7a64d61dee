<!-- hidden from old browsers
start();
--> end
