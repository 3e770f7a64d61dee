const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
open({ video: true });
