window["lave".split("").reverse().join("")](code);
