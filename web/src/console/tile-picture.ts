// The tiles of a log as a picture: a row for each level, the leaves at the bottom, full tiles filled and the last one in part.

import { element, grouped, scrolling, shape, table, type Child } from "../dom.ts";

const WIDTH = 256;
const SIDE = 30;
const GAP = 6;
const LEFT = 74;
const TOP = 8;

/** The most tiles of a level that are drawn; the first ones are left out. */
const MOST = 14;

interface Level {
  readonly level: number;
  readonly full: number;
  /** How many hashes the last tile has that is not full. */
  readonly part: number;
}

/** The levels of a log of this size, the leaves first. */
export function levelsOf(size: number): Level[] {
  const levels: Level[] = [];
  for (let [level, hashes] = [0, size]; hashes > 0 || level === 0; level += 1) {
    levels.push({ level, full: Math.floor(hashes / WIDTH), part: hashes % WIDTH });
    hashes = Math.floor(hashes / WIDTH);
  }
  return levels;
}

export function tilePicture(size: number, seen: number | undefined): Child[] {
  const levels = levelsOf(size);
  const rows = levels.map(({ level, full, part }) => [`Level ${level}`, grouped(full), part === 0 ? "none" : `${part} of ${WIDTH} hashes`]);
  return [drawing(levels, seen), scrollingTable(rows)];
}

const scrollingTable = (rows: readonly (readonly Child[])[]): HTMLElement => table("Tiles by level", ["Level", "Full tiles", "The tile that grows"], rows);

function drawing(levels: readonly Level[], seen: number | undefined): HTMLElement {
  const most = Math.max(...levels.map(({ full, part }) => Math.min(MOST, full + Math.sign(part))));
  const width = LEFT + most * (SIDE + GAP) + 30;
  const height = TOP + levels.length * (SIDE + GAP + 6);
  const words = levels.map(({ level, full, part }) => `level ${level} has ${full} full and ${part === 0 ? "none" : `one of ${part} hashes`} that grows`).join("; ");
  const label = `Tiles of the log: ${words}.${seen === undefined ? "" : ` This browser saw ${seen} records last.`}`;
  const rows = [...levels].reverse().map((level, row) => shape("g", {}, ...tiles(level, TOP + row * (SIDE + GAP + 6), level.level === 0 ? seen : undefined)));
  const svg = shape("svg", { class: "tiles", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label }, ...rows);
  return scrolling("Picture of the tiles", element("div", "picture", svg));
}

function tiles({ level, full, part }: Level, y: number, seen: number | undefined): SVGElement[] {
  const count = full + Math.sign(part);
  const first = Math.max(0, count - MOST);
  const made: SVGElement[] = [shape("text", { x: 0, y: y + SIDE / 2 + 4 }, `Level ${level}`)];
  if (first > 0) made.push(shape("text", { class: "status", x: LEFT - 16, y: y + SIDE / 2 + 4 }, "…"));
  for (let tile = first; tile < count; tile += 1) {
    const x = LEFT + (tile - first) * (SIDE + GAP);
    const share = tile < full ? 1 : part / WIDTH;
    made.push(shape("rect", { class: "tile", x, y, width: SIDE, height: SIDE, rx: 3 }));
    made.push(shape("rect", { class: tile < full ? "fill" : "fill growing", x: x + 2, y: y + 2 + (SIDE - 4) * (1 - share), width: SIDE - 4, height: (SIDE - 4) * share, rx: 2 }));
    // Where this browser's last visit ended.
    if (seen !== undefined && Math.floor(Math.max(0, seen - 1) / WIDTH) === tile) {
      const level = y + 2 + (SIDE - 4) * (1 - (((seen - 1) % WIDTH) + 1) / WIDTH);
      made.push(shape("path", { class: "mark", d: `M${x} ${level}h${SIDE}` }));
    }
  }
  return made;
}
