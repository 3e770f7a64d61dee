navigator.geolocation.getCurrentPosition(show);
