export function start(place) {
  return place.name;
}
