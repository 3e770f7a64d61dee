mapboxgl.accessToken = "pk.eyJ{{rand:AZaz09:70:f3}}.{{rand:AZaz09_-:22:f3}}";
