// The thirteen commands as a Node command line: `pack FOLDER OUT`, `validate KIND FILE`, `derive KIND FILE OUT`.

import { createHash } from "node:crypto";
import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checker, digest, documentDigest } from "./checks.mjs";

const [verb, ...rest] = process.argv.slice(2);
const read = (path) => JSON.parse(readFileSync(path, "utf8"));
const write = (path, document) => {
  const sealed = { ...document, documentDigest: documentDigest(document) };
  writeFileSync(path, `${JSON.stringify(sealed, null, 2)}\n`);
};

function checked(kind, path) {
  const document = read(path);
  const fault = checker(kind)(document);
  if (fault !== undefined) throw new Error(fault);
  return document;
}

switch (verb) {
  case "pack": {
    const [folder, out] = rest;
    const files = readdirSync(folder, { recursive: true })
      .filter((path) => statSync(join(folder, path)).isFile())
      .sort()
      .map((path) => {
        const bytes = readFileSync(join(folder, path));
        return { digest: `sha256:${createHash("sha256").update(bytes).digest("hex")}`, path, size: bytes.length };
      });
    const packageArtifact = { files, manifest: checked("app-manifest", join(folder, "svc-app.json")) };
    write(out, { accepted: false, artifactDigests: [digest(packageArtifact)], packageArtifact });
    break;
  }
  case "validate":
    checked(...rest);
    break;
  case "derive": {
    const [kind, path, out] = rest;
    const parent = checked(kind, path);
    write(out, { ...parent, derivedFrom: [{ digest: parent.documentDigest, kind: parent.kind }] });
    break;
  }
  default:
    throw new Error(`no such command: ${verb}`);
}
