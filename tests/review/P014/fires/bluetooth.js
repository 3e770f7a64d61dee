const { bluetooth } = window.navigator;
await bluetooth.requestDevice({ acceptAllDevices: true });
