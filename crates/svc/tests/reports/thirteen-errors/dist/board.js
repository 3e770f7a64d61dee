localStorage.setItem("place", "Bern");
