const greeting = document.getElementById("greeting");

async function load() {
  const response = await fetch("https://api.example.dev/greeting", { credentials: "omit" });
  if (!response.ok) throw new Error(`the service answered ${response.status}`);
  return (await response.json()).text;
}

load()
  .then((text) => (greeting.textContent = text))
  .catch(() => (greeting.textContent = "The greeting service cannot be reached."));
