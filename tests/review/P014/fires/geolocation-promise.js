const where = () => new Promise((done, fail) => navigator.geolocation.getCurrentPosition(done, fail));
