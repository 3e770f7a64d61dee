// Documents with more faults than a list of findings has room for: both languages list the same ones and count the rest.

const MANY = 320;

/** A document for each way to be wrong everywhere, some with one fault of another rule behind the others. */
export function floods(submission, index) {
  const rows = (change) => {
    const document = structuredClone(submission);
    const [row] = document.packageArtifact.files;
    document.packageArtifact.files = Array.from({ length: MANY }, (_, at) => change({ ...row, path: `a/${String(at).padStart(4, "0")}.txt` }));
    return document;
  };
  const wrongType = rows((row) => ({ ...row, mediaType: "image/png" }));
  const empty = rows((row) => ({ ...row, mediaType: "text/plain", size: 0 }));
  const shape = rows((row) => ({ ...row, size: "1" }));
  const unknown = rows((row) => ({ ...row, mediatype: 1 }));
  const claimLast = { ...shape, signed: true };
  const twoKinds = rows((row) => (row.path > "a/0250" ? { ...row, why: 1 } : { ...row, size: "1" }));
  const secrets = rows((row) => ({ ...row, mediaType: "application/octet-stream", path: `${row.path}/.env` }));
  const foreign = structuredClone(secrets);
  foreign.ruleset = { ...foreign.ruleset, digest: `sha256:${"0".repeat(64)}` };
  const numbers = JSON.stringify(submission).replace(/"files":\[/, () => `"files":[${"1.5,".repeat(MANY)}`);
  const entries = structuredClone(index);
  const [entry] = entries.entries;
  entries.entries = Array.from({ length: MANY }, () => entry);
  const inEntries = structuredClone(index);
  for (const { submission } of inEntries.entries) submission.packageArtifact = wrongType.packageArtifact;
  const kind = "svc-registry-submission";
  return [
    ...[wrongType, empty, shape, unknown, claimLast, twoKinds, secrets, foreign].map((document) => ({ kind, text: JSON.stringify(document) })),
    { kind, text: numbers },
    ...[claimLast, entries, inEntries].map((document) => ({ kind: "svc-registry-index", text: JSON.stringify(document) })),
  ];
}
