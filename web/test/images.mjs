// The pictures of the guide: `node web/test/images.mjs` makes them again, and images.test.mjs looks that they still show what
// the pages show.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { repository } from "./bundles.mjs";
import { give, settled, startEverything } from "./console-pages.mjs";
import { decode, encode } from "./png.mjs";

export const FOLDER = join(repository, "docs/guides/images");

/** Each picture: its file, the page, how wide and in which scheme, and what is done there first. */
const IMAGES = ({ bundles, admin }) => [
  // The first, because its table grows with what the other pages ask for.
  { file: "console-service.png", path: "/console/service", height: 1700, from: admin, act: (page) => page.waitForFunction(() => !document.querySelector("#answers").textContent.includes("…"), undefined, { timeout: 20_000 }) },
  {
    file: "console-inspector.png",
    path: "/console/",
    height: 960,
    act: async (page) => {
      await give(page, bundles.broken);
      await page.locator("#verdict").evaluate((section) => scrollTo(0, section.offsetTop - 60));
    },
  },
  { file: "console-decisions.png", path: "/console/decisions" },
  { file: "console-log.png", path: "/console/log", height: 900, act: (page) => page.locator(".pending").first().evaluate((place) => scrollTo(0, place.offsetTop - 60)) },
  { file: "console-gates-phone.png", path: "/console/gates", width: 360, height: 740, colorScheme: "dark" },
];

/** All pictures, as they are now. */
export async function makeImages() {
  const all = await startEverything();
  try {
    const made = new Map();
    for (const { file, path, act, from, width = 1100, height = 720, colorScheme = "light" } of IMAGES(all)) {
      const page = await all.open(path, { from, width, height, colorScheme });
      await settled(page);
      await act?.(page);
      made.set(file, encode(decode(await page.screenshot())));
      await page.context().close();
    }
    return made;
  } finally {
    await all.stop();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  mkdirSync(FOLDER, { recursive: true });
  for (const [file, image] of await makeImages()) {
    writeFileSync(join(FOLDER, file), image);
    console.log(`wrote docs/guides/images/${file}, ${image.length} bytes`);
  }
}
