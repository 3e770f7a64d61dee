// localStorage.clear()
const help = "Allow navigator.geolocation in the settings.";
const words = ["camera", "microphone", "clipboard"];
