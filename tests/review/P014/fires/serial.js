const port = await navigator.serial.requestPort();
