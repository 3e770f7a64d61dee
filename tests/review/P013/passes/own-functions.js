import { fetch } from "./mock.js";
fetch("https://collect.example/v1");
client.fetch("https://collect.example/v1");
door.open("front", "https://collect.example");
