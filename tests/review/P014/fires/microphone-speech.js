const Listener = window.SpeechRecognition || window.webkitSpeechRecognition;
new Listener().start();
