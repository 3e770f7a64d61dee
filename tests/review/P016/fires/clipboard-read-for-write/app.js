navigator.clipboard.writeText(place);
