const [pad] = await navigator.hid?.requestDevice({ filters: [] });
