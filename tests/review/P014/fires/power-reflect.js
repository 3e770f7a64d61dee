Reflect.get(navigator, "clipboard").writeText(link);
