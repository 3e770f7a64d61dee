// Pictures of pages, made small: the screenshots of a browser as PNG with a palette, and what two of them differ in.

import { deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MOST_COLOURS = 64;

/** Width, height and three bytes for each pixel of a PNG with 8 bits a channel: RGB, RGBA or a palette, not interlaced. */
export function decode(png) {
  if (!png.subarray(0, 8).equals(SIGNATURE)) throw new Error("no PNG");
  const chunks = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString("latin1", at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  const head = chunks.find(({ type }) => type === "IHDR").data;
  const [width, height, depth, colour, interlaced] = [head.readUInt32BE(0), head.readUInt32BE(4), head[8], head[9], head[12]];
  const channels = { 2: 3, 3: 1, 6: 4 }[colour];
  if (depth !== 8 || channels === undefined || interlaced !== 0) throw new Error("another form of PNG than a browser writes");
  const rows = unfiltered(inflateSync(Buffer.concat(chunks.filter(({ type }) => type === "IDAT").map(({ data }) => data))), width, height, channels);
  const palette = chunks.find(({ type }) => type === "PLTE")?.data;
  const pixels = Buffer.alloc(width * height * 3);
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    if (palette === undefined) rows.copy(pixels, pixel * 3, pixel * channels, pixel * channels + 3);
    else palette.copy(pixels, pixel * 3, rows[pixel] * 3, rows[pixel] * 3 + 3);
  }
  return { width, height, pixels };
}

function unfiltered(raw, width, height, channels) {
  const line = width * channels;
  const rows = Buffer.alloc(line * height);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (line + 1)];
    for (let x = 0; x < line; x += 1) {
      const at = y * line + x;
      const left = x >= channels ? rows[at - channels] : 0;
      const up = y > 0 ? rows[at - line] : 0;
      const corner = x >= channels && y > 0 ? rows[at - line - channels] : 0;
      rows[at] = raw[y * (line + 1) + 1 + x] + [0, left, up, (left + up) >> 1, nearest(left, up, corner)][filter];
    }
  }
  return rows;
}

function nearest(left, up, corner) {
  const guess = left + up - corner;
  const [a, b, c] = [left, up, corner].map((value) => Math.abs(guess - value));
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

/** The picture with a few of its colours; every other becomes the nearest of them. */
export function encode({ width, height, pixels }) {
  const counts = new Map();
  const colour = (at) => (pixels[at] << 16) | (pixels[at + 1] << 8) | pixels[at + 2];
  for (let at = 0; at < pixels.length; at += 3) counts.set(colour(at), (counts.get(colour(at)) ?? 0) + 1);
  const palette = paletteOf([...counts].sort(([one, left], [other, right]) => right - left || one - other));
  const places = new Map(palette.map((value, place) => [value, place]));
  const placeOf = (value) => {
    if (!places.has(value)) places.set(value, palette.reduce((best, other, place) => (distance(value, other) < distance(value, palette[best]) ? place : best), 0));
    return places.get(value);
  };
  const raw = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) raw[y * (width + 1) + 1 + x] = placeOf(colour((y * width + x) * 3));
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((value) => [value >> 16, (value >> 8) & 255, value & 255]));
  return Buffer.concat([SIGNATURE, chunk("IHDR", head), chunk("PLTE", colours), chunk("IDAT", deflateSync(raw, { level: 9, memLevel: 9 })), chunk("IEND", Buffer.alloc(0))]);
}

const distance = (left, right) => [16, 8, 0].reduce((sum, shift) => sum + (((left >> shift) & 255) - ((right >> shift) & 255)) ** 2, 0);

/**
 * The colour that is most used, then each time the one that weighs most among those left: by how far it is from the nearest
 * that was taken, and by the root of how often it is used. A word in green is few pixels, and stays green.
 */
function paletteOf(counted) {
  const left = counted.map(([value, count]) => ({ value, weight: Math.sqrt(count), far: Infinity }));
  const palette = [];
  for (let next = left[0]; next !== undefined && palette.length < MOST_COLOURS; ) {
    const taken = next.value;
    palette.push(taken);
    next = undefined;
    for (const one of left) {
      one.far = Math.min(one.far, distance(one.value, taken));
      if (one.far > 0 && (next === undefined || one.far * one.weight > next.far * next.weight)) next = one;
    }
  }
  return palette;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const made = Buffer.alloc(body.length + 8);
  made.writeUInt32BE(data.length, 0);
  body.copy(made, 4);
  made.writeUInt32BE(crc(body), body.length + 4);
  return made;
}

function crc(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  }
  return (value ^ 0xffffffff) >>> 0;
}

/** The share of pixels that are clearly another colour: what fonts and times of another machine change is a small one. */
export function difference(left, right) {
  if (left.width !== right.width || left.height !== right.height) return 1;
  let other = 0;
  for (let at = 0; at < left.pixels.length; at += 3) {
    if ([0, 1, 2].some((channel) => Math.abs(left.pixels[at + channel] - right.pixels[at + channel]) > 64)) other += 1;
  }
  return other / (left.width * left.height);
}
