mapboxgl.token = "sk.eyJ{{rand:AZaz09:70:s92}}.{{rand:AZaz09_-:22:s93}}";
