const line = new WebTransport("https://collect.example:4433/line");
