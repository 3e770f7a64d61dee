with (a) { b(); }
var let = 010;
delete c;
