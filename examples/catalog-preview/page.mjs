// Puts a catalog on the page. Every text of a document becomes a text node, never markup.

import { CLOSED_OUTCOME, GATES, SDK_DISTRIBUTION_LIFECYCLE_CATALOG } from "@svc/registry-sdk";
import { readCatalog } from "./words.mjs";

const STAGES = SDK_DISTRIBUTION_LIFECYCLE_CATALOG.stages;
const place = (id) => document.getElementById(id);

/** An element with its children; a text is a text node. */
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Shows an index, or why it is none. */
export function show(bytes, source) {
  const catalog = readCatalog(bytes);
  const content = catalog.ok ? catalog.entries.map(card) : catalog.findings.map(refusal);
  place("entries").replaceChildren(...content);
  place("status").textContent = catalog.ok
    ? `${source}: valid. ${counted(catalog.entries.length, "entry", "entries")}, each ${CLOSED_OUTCOME}.`
    : `${source}: refused. ${counted(catalog.findings.length, "finding", "findings")}.`;
  place("status").dataset.state = catalog.ok ? "valid" : "refused";
}

function card(entry, index) {
  const title = `entry-${index}`;
  const [stage, reviewed, verdict, next, ...rest] = entry.facts;
  const said = (wanted) => rest.filter(([word]) => word === wanted).map(([, text]) => text).join("; ");
  return element(
    "li",
    {},
    element(
      "article",
      { "aria-labelledby": title },
      element("p", { class: "noun" }, entry.noun),
      element("h2", { id: title }, entry.name),
      element("p", { class: "package" }, element("code", {}, entry.package)),
      element("p", {}, entry.summary),
      track(entry.stage),
      element(
        "dl",
        {},
        ...row("Stage", stage[1].replace("  ", ": ")),
        ...row("Reviewed", reviewed[1]),
        ...row("Verdict", verdict[1]),
        ...row("Next", next[1]),
        ...row("Gates", said("Gates")),
        ...row("Listed by", entry.listedBy),
        ...row("Outcome", CLOSED_OUTCOME),
      ),
    ),
  );
}

/** The five stages with the one that was reached; nothing reaches the last. */
function track(reached) {
  const position = STAGES.findIndex(({ id }) => id === reached);
  const steps = STAGES.map(({ label }, index) => {
    const state = index < position ? "below" : index === position ? "here" : index === STAGES.length - 1 ? "closed" : "above";
    const spoken = { below: "evidence is there", here: "this entry stands here", above: "evidence is missing", closed: "nothing reaches this stage" }[state];
    const current = state === "here" ? { "aria-current": "step" } : {};
    return element("li", { class: state, ...current }, label, element("span", { class: "spoken" }, `, ${spoken}`));
  });
  return element("ol", { class: "track", "aria-label": "Stages" }, ...steps);
}

function row(word, text) {
  return [element("dt", {}, word), element("dd", {}, text)];
}

function refusal({ rule, pointer, message, help, place: at }) {
  const where = at === undefined ? pointer || "the document" : `line ${at.line}, column ${at.column}, ${pointer || "the document"}`;
  return element(
    "li",
    { class: "finding" },
    element("p", {}, element("strong", {}, rule), ` ${message}`),
    element("p", { class: "package" }, where),
    element("p", {}, help),
  );
}

function counted(number, one, many) {
  return `${number} ${number === 1 ? one : many}`;
}

function explain() {
  place("stages").replaceChildren(...STAGES.flatMap(({ label, meaning }) => row(label, meaning)));
  place("gates").textContent = `${GATES.length} gates stand between a package and a host; the evidence in a file can satisfy one of them.`;
}

place("file").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  if (file !== undefined) show(new Uint8Array(await file.arrayBuffer()), file.name);
});

explain();
const response = await fetch("index.json");
if (response.ok) show(new Uint8Array(await response.arrayBuffer()), "The example index");
else place("status").textContent = "No index is served here. Choose one.";
