const m = ["fil", "ter"].join(""), k = "con" + "structor";
[][m][k](code)();
