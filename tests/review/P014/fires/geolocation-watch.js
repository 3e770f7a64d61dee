const { geolocation: place } = navigator;
place.watchPosition(show);
