/** What a statement about a package is based on, in words for people. Nothing here reads package files. */

import { frozen } from "./frozen.js";
import type { ClaimedDepth } from "./generated/artifacts.js";

/** What each depth means. */
export const DEPTH_MEANINGS: Readonly<Record<ClaimedDepth, string>> = /* @__PURE__ */ frozen({
  "as-claimed": "recomputed from the report, not from package files",
  "without-facts": "the document carries no report, and package files were not reviewed",
});

/** What is shown of the artifact hash where no file was seen. */
export const HASH_BASIS = "digests recomputed, not from package files";
