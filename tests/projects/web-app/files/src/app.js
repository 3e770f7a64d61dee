navigator.geolocation.getCurrentPosition(() => {});
