\u0065val(code);
