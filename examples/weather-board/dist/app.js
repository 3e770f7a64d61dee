// The whole board. A classic script, since a sandboxed frame has an opaque origin
// and a module would need CORS headers to load there.
"use strict";

const FORECAST_URL = "https://api.acme.dev/v1/forecast";
const STORAGE_KEY = "weather-board.places";
const FIRST_PLACES = ["Berlin", "Lisbon", "Oslo"];
const MAX_PLACES = 12;
const MAX_PLACE_LENGTH = 60;
const MAX_DAYS = 4;
const TIMEOUT_MS = 10_000;
const SKIES = ["clear", "cloudy", "rain", "snow"];
const DEGREES = { metric: "\u00b0C", imperial: "\u00b0F" };

// Shown until the host sends the texts of another locale; equal to locales/en.json.
const ENGLISH = {
  "board.heading": "Weather Board",
  "board.place": "Place",
  "board.pin": "Pin",
  "board.refresh": "Refresh",
  "board.unpin": "Unpin",
  "board.loading": "Reading the forecast\u2026",
  "board.failed": "No forecast right now. Refresh to ask again.",
  "sky.clear": "Clear",
  "sky.cloudy": "Cloudy",
  "sky.rain": "Rain",
  "sky.snow": "Snow",
};

const settings = { units: "metric", apiKey: "", language: "en", texts: ENGLISH };
const places = loadPlaces();
let loading = new AbortController();

const board = document.getElementById("board");
const placeInput = document.getElementById("place");

document.getElementById("pin").addEventListener("click", pinTyped);
document.getElementById("refresh").addEventListener("click", refresh);
// Not a <form>: a sandboxed frame blocks form submission before the event fires.
placeInput.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.isComposing) pinTyped();
});
window.addEventListener("message", receive);

translate(document);
refresh();

/** Takes settings and commands from the host, and from nobody else. */
function receive(event) {
  if (event.source !== window.parent) return;
  const message = event.data;
  if (message?.type === "settings") {
    applySettings(message);
    refresh();
  } else if (message?.type === "command" && message.id === "refresh") {
    refresh();
  }
}

function applySettings({ units, apiKey, language, texts }) {
  if (Object.hasOwn(DEGREES, units)) settings.units = units;
  if (typeof apiKey === "string") settings.apiKey = apiKey;
  if (isLanguage(language)) settings.language = language;
  if (texts !== null && typeof texts === "object") settings.texts = texts;
  document.documentElement.lang = settings.language;
  translate(document);
}

function isLanguage(value) {
  try {
    return typeof value === "string" && Intl.getCanonicalLocales(value).length === 1;
  } catch {
    return false;
  }
}

/** The text for a key in the host's locale, or in English where the locale lacks it. */
function text(key) {
  const translated = Object.hasOwn(settings.texts, key) ? settings.texts[key] : undefined;
  return typeof translated === "string" ? translated : ENGLISH[key];
}

function translate(root) {
  for (const element of root.querySelectorAll("[data-text]")) {
    element.textContent = text(element.dataset.text);
  }
}

/** Starts over with all places; answers still under way belong to cards that are gone. */
function refresh() {
  loading.abort();
  loading = new AbortController();
  board.replaceChildren();
  for (const place of places) show(place);
}

function pinTyped() {
  const place = placeInput.value.trim();
  placeInput.value = "";
  if (!isPlace(place) || places.includes(place) || places.length >= MAX_PLACES) return;
  places.push(place);
  savePlaces();
  show(place);
}

function unpin(place, card) {
  places.splice(places.indexOf(place), 1);
  savePlaces();
  card.remove();
  placeInput.focus();
}

async function show(place) {
  const card = stamp("card");
  const note = card.querySelector(".note");
  card.querySelector(".place").textContent = place;
  card.querySelector(".unpin").addEventListener("click", () => unpin(place, card));
  translate(card);
  board.append(card);
  try {
    fill(card, await readForecast(place));
    note.remove();
  } catch {
    note.textContent = text("board.failed");
  }
}

function fill(card, { sky, temperature, days }) {
  const forecast = card.querySelector(".forecast");
  forecast.querySelector(".sky").dataset.sky = sky;
  forecast.querySelector(".temperature").textContent = degrees(temperature);
  forecast.querySelector(".condition").textContent = text(`sky.${sky}`);
  forecast.querySelector(".days").append(...days.map(dayRow));
  forecast.hidden = false;
}

function dayRow({ date, sky, low, high }) {
  const row = stamp("day");
  const weekday = new Intl.DateTimeFormat(settings.language, { weekday: "short", timeZone: "UTC" });
  row.querySelector(".weekday").textContent = weekday.format(date);
  row.querySelector(".condition").textContent = text(`sky.${sky}`);
  row.querySelector(".range").textContent = `${Math.round(low)} / ${degrees(high)}`;
  return row;
}

function degrees(value) {
  return `${Math.round(value)} ${DEGREES[settings.units]}`;
}

function stamp(id) {
  return document.getElementById(id).content.firstElementChild.cloneNode(true);
}

async function readForecast(place) {
  const url = new URL(FORECAST_URL);
  url.searchParams.set("place", place);
  url.searchParams.set("units", settings.units);
  const headers = { Accept: "application/json" };
  if (settings.apiKey) headers["X-Api-Key"] = settings.apiKey;
  const signal = AbortSignal.any([loading.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const response = await fetch(url, { headers, signal, credentials: "omit" });
  if (!response.ok) throw new Error(`the forecast service answered ${response.status}`);
  return parseForecast(await response.json());
}

/** Copies what the board shows out of an answer, and throws where the answer has another shape. */
function parseForecast({ sky, temperature, days }) {
  return {
    sky: parseSky(sky),
    temperature: parseNumber(temperature),
    days: days.slice(0, MAX_DAYS).map((day) => ({
      date: parseDate(day.date),
      sky: parseSky(day.sky),
      low: parseNumber(day.low),
      high: parseNumber(day.high),
    })),
  };
}

function parseSky(value) {
  if (!SKIES.includes(value)) throw new TypeError("unknown sky in the forecast");
  return value;
}

function parseNumber(value) {
  if (!Number.isFinite(value)) throw new TypeError("not a number in the forecast");
  return value;
}

function parseDate(value) {
  const date = new Date(`${value}T00:00:00Z`);
  if (Number.isNaN(date.getTime())) throw new TypeError("not a date in the forecast");
  return date;
}

function isPlace(value) {
  return typeof value === "string" && value !== "" && value.length <= MAX_PLACE_LENGTH;
}

// A host may refuse storage; the board then works with the first places.
function loadPlaces() {
  try {
    const stored = JSON.parse(localStorage.getItem(STORAGE_KEY));
    if (Array.isArray(stored)) return [...new Set(stored.filter(isPlace))].slice(0, MAX_PLACES);
  } catch {
    // Refused or unreadable: as if nothing were stored.
  }
  return [...FIRST_PLACES];
}

function savePlaces() {
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(places));
  } catch {
    // Refused or full: the places last as long as the view.
  }
}
