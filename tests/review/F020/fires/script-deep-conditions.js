a = {{repeat:10100:b ? c : }}d;
