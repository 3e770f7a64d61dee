const media = navigator.mediaDevices;
media.getUserMedia({ audio: true }).then(record);
