//! `docs/reference/journal.md`: the bytes of records, receipts and checkpoints, and every reason why one is refused.

use std::fmt::Write as _;

use svc_core::journal::record::Refusal;
use svc_proof::{
    evidence::EvidenceKind,
    fault::JournalFaultKind,
    policy::{PolicyErrorCode, UnwitnessedReason},
    receipt::Unproven,
};

const BYTES: &str = "\
# Journal and receipts

What the registry puts on record, and what proves it. Everything here can be checked with SHA-256, Ed25519 and a JSON
reader; the cases of `conformance/receipts.json` hold the bytes.

## Record

A JSON object (schema `journal-record`). Its bytes are its RFC 8785 form: members in order of their names, no blanks, UTF-8.
Digests and closed words only: never a body, never a name.

| member | when | what |
|---|---|---|
| `accepted` `installable` `signed` | always | `false` |
| `answerDigest` | always | SHA-256 over the RFC 8785 form of the answer without its `receipt`: every word of it |
| `artifact` | denied; refused as far as readable | `digest` and `kind` of the document: checked when denied, as declared when refused |
| `bodyDigest` | refused | SHA-256 of the bytes as they came |
| `decisionId` | denied | the id of the decision |
| `kind` `schemaVersion` | always | `svc-journal-record`, `1.0` |
| `missingGates` | always | five when denied, six when refused, in the order of gates |
| `operation` | always | the operation of the endpoint |
| `outcome` | always | one of OUTCOMES |
| `problem` | refused | the problem code |
| `requestId` | always | the name of the request, as in the answer |
| `reviewed` | denied | what the answer is based on, of an index the least of its entries: `as-claimed` (recomputed from the report) or `without-facts` (there is no report); a registry never reads package files |
| `ruleset` | always | the digest of the rules that the registry used |
| `sequence` | always | its place in the log, from zero |
| `time` | always | when it was put on record, in UTC with milliseconds; it orders nothing |

Nobody is named. Whoever has a document or an answer can compute its digest, and see that it is on record.

## Attribution

Who asked, and about which package, stands beside the log in a table of its own, one row for a record, written in the same
transaction. It is no part of the record, of a tile, a checkpoint, a receipt or an export, and nothing proves it: wherever
it is shown as JSON it says `\"proven\": false`. It can be deleted (`svc-registry journal forget`), and the log still verifies.

| member | when | what |
|---|---|---|
| `owner` | as `artifact`; not for an index | the owner's id: checked when denied, as declared when refused |
| `package` | as `owner` | `id` and `version` of the package |
| `proven` | always | `false` |
| `token` | when a token was needed | the token's name |

An entry (schema `journal-entry`) is a `record` and, where it is kept, its `attribution`: a line of
`svc-registry journal list --format json`, and an element of `entries` at `/api/sdk/registry/journal/entries`. The registry adds
`attribution` only to the answer to a request with a token of scope `read`, and forbids to keep that answer (`no-store`).

## Tree

RFC 6962 with SHA-256. A leaf is `SHA-256(0x00 || record bytes)`, a node `SHA-256(0x01 || left || right)`, the empty tree
`SHA-256(\"\")`.

## Checkpoint

A C2SP checkpoint in a C2SP signed note. The text is three lines, each with a line feed: the log's name, the size in
decimal, the root hash in base64. There are no further lines in it. What is signed is exactly this text, with its last
line feed. Then comes an empty line, and a line for each signature:

```text
svc-journal-0123456789abcdef
7
<base64 of the 32 bytes of the root>

— svc-journal-0123456789abcdef <base64 of 4 bytes of key id and 64 bytes of Ed25519 signature>
```

The line begins with U+2014 and a blank. The key id is the first four bytes of
`SHA-256(name || 0x0A || 0x01 || public key)`. A public key is written `<name>+<key id in hexadecimal>+<base64 of 0x01 and
the 32 bytes of the key>`. Lines of signatures by other keys are passed over; one by a known key that does not fit is a
refusal, and so is a note that no known key signed. The name in the text is the name of the key.

## Cosignature

A witness's signature in the note of a checkpoint (C2SP tlog-cosignature, Ed25519). What it signs is the line `cosignature/v1`, a
line `time` with the seconds since 1970 in decimal, and the text of the checkpoint:

```text
cosignature/v1
time 1679315147
svc-journal-0123456789abcdef
7
<base64 of the 32 bytes of the root>
```

Its line in the note is `— <name of the witness> <base64 of 4 bytes of key id, 8 bytes of time and 64 bytes of signature>`, the time
with its highest byte first, from 1 to 2^63 - 1. The key id is the first four bytes of
`SHA-256(name || 0x0A || 0x04 || public key)`, and the key is written as that of a log with 0x04 in place of 0x01. The registry
gives its newest state to witnesses by POST to `<address>/add-checkpoint` (C2SP tlog-witness): `old` and the size that the witness
saw last, the hashes of the consistency proof, an empty line, the checkpoint. It serves the newest state with the cosignatures
of exactly that state as `checkpoint`, and the newest state that the quorum has seen as `witnessed-checkpoint`.

## Policy

Who must have seen a state, as a C2SP tlog-policy: UTF-8 in lines, at most 65536 bytes, at most 64 logs, 64 witnesses and 64 groups.

| line | meaning |
|---|---|
| `log KEY [URL]` | a log. Where a policy names logs, the checkpoint must be of one of them |
| `witness NAME KEY [URL]` | a witness, and where it takes checkpoints |
| `group NAME all` or `any` or a number, then `MEMBER...` | met when so many of its members are: witnesses, or groups of lines before |
| `quorum NAME` | what must be met; `none` for nothing. There is one such line |
| `# …` | a comment |

A public key appears in a policy once, and a name is a member of one group at most. Each witness counts once, and of several
lines of one witness the newest counts. A fault in the policy itself is reported with the number of its line, from one:

POLICY_ERRORS

A policy without a fault is then checked against a checkpoint and your keys of the log. The first of these that applies is the
reason; lines by keys that the policy does not have are ignored:

POLICY_REASONS

## Receipt

A JSON object (schema `receipt`), in a decision (200) and in the problem of a refused document (422).

| member | what |
|---|---|
| `record` | the record as an object |
| `index` | its place, from zero |
| `leafHash` | `sha256:` and the leaf in hexadecimal |
| `treeSize` `rootHash` | the tree; the hash again as `sha256:` and hexadecimal |
| `proof` | the audit path of RFC 6962, section 2.1.1: from the leaf's sibling up to the root's child |
| `checkpoint` | the signed checkpoint of that tree, as text |

To check it, in this order; the first that does not hold is the reason:

1. Nothing in the file claims to be open, at any depth: no flag but `false`, no word of a gate, stage or outcome that does
   not exist, no missing gate left out. That is told before everything else, as `not-a-refusal`.
2. The file is strict JSON: a receipt, or an object with a member `receipt`. The record has its form, is a no, and its
   members fit together as the table above says.
3. `index` is `record.sequence`.
4. `leafHash` is the leaf of the record's bytes.
5. `checkpoint` is well formed and signed by a key that you have from elsewhere.
6. Its size is `treeSize`, its root `rootHash`.
7. The path leads from the leaf to the root, with no hash left over (RFC 9162, section 2.1.3.2).
8. Inside an answer: SHA-256 over the RFC 8785 form of the answer without `receipt` is the record's `answerDigest`.
9. The answer agrees with the record: `requestId`, `code` as `problem`, `decisionId` (which is also the digest of the decision),
   `operation`, kind and digest of `artifact`, the digest of `ruleset.own`, `reviewed` (of an index the least of its entries),
   `missingGates`.

";

/// The page.
pub(crate) fn page() -> String {
    let outcomes: Vec<String> = Refusal::WORDS.iter().map(|word| format!("`{word}`")).collect();
    let errors = PolicyErrorCode::ALL.iter().map(|error| format!("| `{}` | {} |", error.code(), error.must()));
    let errors: Vec<String> =
        ["| code | what must hold |".to_owned(), "|---|---|".to_owned()].into_iter().chain(errors).collect();
    let reasons = UnwitnessedReason::ALL.map(|reason| format!("| `{}` | {} |", reason.code(), reason.meaning()));
    let reasons = format!("| reason | meaning |\n|---|---|\n{}", reasons.join("\n"));
    let mut page = BYTES
        .replace("OUTCOMES", &outcomes.join(", "))
        .replace("POLICY_ERRORS", &errors.join("\n"))
        .replace("POLICY_REASONS", &reasons);
    page.push_str("| reason | meaning |\n|---|---|\n");
    for reason in Unproven::all() {
        let _ = writeln!(page, "| `{}` | {} |", reason.code(), reason.reason());
    }
    page.push_str(
        "\n## Tiles\n\nC2SP tlog-tiles: `checkpoint`, `tile/<level>/<number>[.p/<width>]` with 256 hashes each, and \
         `tile/entries/<number>[.p/<width>]` with 256 records, each behind its length in two bytes, the higher first; `witnessed-checkpoint` where there are witnesses. \
         `svc-registry journal export` writes them as files, the registry serves them below `/api/sdk/registry/journal/`. Who asked is in none of them.\n\n\
         ## Proof as text\n\nC2SP tlog-proof, from `/journal/proof/<index>` and `svc-registry journal prove --as tlog-proof`: the line \
         `c2sp.org/tlog-proof@v1`; `extra` and the record's bytes in base64, unless they were pruned; `index` and its \
         place; the audit path, a hash in base64 a line; an empty line; the checkpoint. The leaf is computed from `extra`, \
         which nothing else vouches for. A proof has one spelling: numbers without leading zeros, base64 with its padding, at most 64 \
         hashes. `svc log check-receipt` takes it, with the record in a file of its own where `extra` is missing.\n\n\
         ## Notes\n\nBeside the checkpoint the key of a log signs two notes of two lines. Each has a first line of its own, so that no \
         text of one kind is read as another, and no log has a name that ends like one of them.\n\n\
         | first line | second line | path | what it says |\n|---|---|---|---|\n\
         | `<origin>/minimum-index` | a number in decimal, a multiple of 256 | `/journal/minimum-index` | the records before this one were \
         pruned: their hashes stay in the tiles, their bundles are gone |\n\
         | `<origin>/next-key` | a public key of the same log | `/journal/hand-overs` | the key that signed the note hands the log over to \
         this one |\n\n\
         At `/journal/hand-overs` the notes stand one after the other, the oldest first. Both paths are 404 where there is nothing to \
         say. A key is named before it signs alone: until the log changes to it, both keys sign, so that one signed text has two \
         signatures. Whoever has an older key follows the notes to the newest; notes of one key that name two others are a fork.\n\n\
         ## Evidence\n\nWhat `svc log watch` and `svc log mirror` write about a log that contradicts itself: a folder with \
         `evidence.json` (`finding`, and where they count `hashes`; `address`, `asked`, `fault` and `time` are what the watcher says), \
         `README.txt`, the states as they came (`first.checkpoint`, `second.checkpoint`), and where they count `hand-overs`, `proof` (a \
         proof as text) and `file`. `svc log check-evidence FOLDER --public-key FILE` ends with 0 when the log's own signatures prove \
         the finding, with 1 when they do not and the rest is the watcher's word, and with 4 when it is not what it says.\n\n\
         | finding | what | proven | claimed |\n|---|---|---|---|\n",
    );
    for kind in EvidenceKind::ALL {
        let _ = writeln!(page, "| `{}` | {} | {} | {} |", kind.code(), kind.what(), kind.proven(), kind.claimed());
    }
    page.push_str(
        "\n## Faults\n\nWhat can be wrong with a journal, and the way out. After those marked final nothing is written \
         until the service was started again.\n\n| code | final | way out |\n|---|---|---|\n",
    );
    for fault in JournalFaultKind::ALL {
        let last = if fault.is_final() { "yes" } else { "" };
        let _ = writeln!(page, "| `{}` | {last} | {} |", fault.code(), fault.help());
    }
    page
}
