await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
