navigator["send" + "Beacon"]("https://collect.example/v1", data);
