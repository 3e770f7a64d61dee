const { sendBeacon } = navigator;
sendBeacon.call(navigator, "https://collect.example/v1", data);
