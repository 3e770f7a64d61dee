const device = await navigator.usb.requestDevice({ filters: [] });
