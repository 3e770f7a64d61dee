navigator.mediaDevices["getUserMedia"]({ audio: true });
