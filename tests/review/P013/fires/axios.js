import axios from "axios";
await axios.post("https://collect.example/v1", body);
