navigator.mediaDevices.getUserMedia({ video: true, audio: false });
