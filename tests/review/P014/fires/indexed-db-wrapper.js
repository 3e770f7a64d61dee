export const openDB = (name, version) => new Promise((done) => {
  const request = indexedDB.open(name, version);
  request.onsuccess = () => done(request.result);
});
