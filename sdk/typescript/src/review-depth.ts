/** What a statement about a package is based on, in words for people. Nothing here reads package files. */

import { frozen } from "./frozen.js";
import type { ClaimedDepth } from "./generated/artifacts.js";

/** What each depth means. */
export const DEPTH_MEANINGS: Readonly<Record<ClaimedDepth, string>> = /* @__PURE__ */ frozen({
  "as-claimed": "recomputed from the report; no package file was read",
  "without-facts": "the document carries no report; no package file was read",
});

/** What is shown of the artifact hash where no file was seen. */
export const HASH_BASIS = "digests recomputed; no package file was read";
