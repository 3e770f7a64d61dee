const { navigator: n } = window;
export const where = (done) => n.geolocation.getCurrentPosition(done);
