fetch("http://2130706433/latest/meta-data");
