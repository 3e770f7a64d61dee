const hour = new Date().getHours();
const greeting = hour < 12 ? "Good morning." : hour < 18 ? "Good afternoon." : "Good evening.";
document.getElementById("greeting").textContent = greeting;
