shape.setAttributeNS(null, "onload", code);
