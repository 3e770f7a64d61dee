navigator.getUserMedia = navigator.getUserMedia || navigator.webkitGetUserMedia;
navigator.webkitGetUserMedia({ video: true }, show, fail);
