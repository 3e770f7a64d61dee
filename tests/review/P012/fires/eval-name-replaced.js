window["e-v-a-l".replace(/-/g, "")](code);
