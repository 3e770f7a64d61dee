//! The lies: what is false, and how a client that insists must find it out.

use serde_json::{Value, json};

use super::proxy::{Asked, Bend, Manner, Memory, Said};

/// A lie and how it is found out.
#[derive(Debug)]
pub struct Lie {
    pub name: &'static str,
    /// The fault that names it.
    pub code: &'static str,
    /// The exit code of a verification that asks for level build.
    pub exit: u8,
    /// The highest level that holds all the same.
    pub holds: Option<&'static str>,
    /// What the sentence about it holds.
    pub told: &'static str,
    pub bend: Bend,
}

const fn lie(
    name: &'static str,
    (code, exit): (&'static str, u8),
    holds: Option<&'static str>,
    told: &'static str,
    bend: Bend,
) -> Lie {
    Lie { name, code, exit, holds, told, bend }
}

/// A receipt that proves nothing.
const UNPROVEN: (&str, u8) = ("receipt-unproven", 4);
/// A log that is not one.
const REWRITTEN: (&str, u8) = ("log-rewritten", 4);
const OPEN: (&str, u8) = ("open-claim", 7);

/// Every lie.
pub static LIES: &[Lie] = &[
    // Receipts.
    lie("receipts-dropped", ("receipt-missing", 1), Some("contract"), "has no receipt", |asked, said, _| {
        if said.is_answer(asked) {
            said.change(|body| drop(body.remove("receipt")));
        }
    }),
    lie(
        "receipt-dropped-for-refusals",
        ("receipt-missing", 1),
        Some("contract"),
        "has no receipt",
        |asked, said, _| {
            if said.is_answer(asked) && said.status == 422 {
                said.change(|body| drop(body.remove("receipt")));
            }
        },
    ),
    lie("receipt-of-another-signer", UNPROVEN, None, "unknown-key", |asked, said, _| {
        if said.is_answer(asked) {
            said.change_receipt(|receipt| of_another_signer(receipt.get_mut("checkpoint")));
        }
    }),
    lie("receipt-badly-signed", UNPROVEN, None, "bad-signature", |asked, said, _| {
        if said.is_answer(asked) {
            said.change_receipt(|receipt| badly_signed(receipt.get_mut("checkpoint")));
        }
    }),
    lie("receipt-of-another-leaf", UNPROVEN, None, "other-leaf", |asked, said, _| {
        if said.is_answer(asked) {
            said.change_receipt(|receipt| drop(receipt.insert("leafHash".to_owned(), receipt["rootHash"].clone())));
        }
    }),
    lie("receipt-with-a-broken-path", UNPROVEN, None, "bad-path", |asked, said, _| {
        if said.is_answer(asked) {
            said.change_receipt(|receipt| {
                let root = receipt["rootHash"].clone();
                if let Some(first) = receipt.get_mut("proof").and_then(|proof| proof.get_mut(0)) {
                    *first = root;
                }
            });
        }
    }),
    lie("receipt-of-another-place", UNPROVEN, None, "other-place", |asked, said, _| {
        if said.is_answer(asked) {
            said.change_receipt(|receipt| {
                let place = receipt["index"].as_u64().unwrap();
                receipt.insert("index".to_owned(), json!(place + 1));
            });
        }
    }),
    lie("receipt-of-another-tree", UNPROVEN, None, "other-tree", |asked, said, _| {
        if said.is_answer(asked) {
            said.change_receipt(|receipt| {
                let size = receipt["treeSize"].as_u64().unwrap();
                receipt.insert("treeSize".to_owned(), json!(size + 1));
            });
        }
    }),
    lie("receipt-of-the-answer-before", UNPROVEN, None, "other-answer", |asked, said, memory| {
        given_again(asked, said, memory, |receipts| receipts.len().checked_sub(2));
    }),
    lie("one-receipt-for-all-answers", UNPROVEN, None, "other-answer", |asked, said, memory| {
        given_again(asked, said, memory, |receipts| (!receipts.is_empty()).then_some(0));
    }),
    lie("record-of-a-yes", OPEN, None, "/receipt/record/outcome is `accepted`", |asked, said, _| {
        if said.is_answer(asked) {
            said.change_receipt(|receipt| receipt["record"]["outcome"] = json!("accepted"));
        }
    }),
    lie("record-without-its-missing-gates", UNPROVEN, None, "not-a-refusal", |asked, said, _| {
        if said.is_answer(asked) {
            said.change_receipt(|receipt| receipt["record"]["missingGates"] = json!([]));
        }
    }),
    lie("refusal-reworded-around-its-receipt", UNPROVEN, None, "other-answer", |asked, said, _| {
        if said.is_answer(asked) && said.status == 422 {
            said.change(|body| drop(body.insert("detail".to_owned(), json!("nothing to worry about"))));
        }
    }),
    lie("decision-reworded-around-its-receipt", UNPROVEN, None, "other-answer", |asked, said, _| {
        if said.is_answer(asked) && said.status == 200 {
            said.change(|body| drop(body.insert("note".to_owned(), json!("looks good to us"))));
        }
    }),
    // The log.
    lie("frozen-checkpoint", REWRITTEN, None, "records", |asked, said, memory| {
        frozen(asked, said, memory, "/journal/checkpoint");
    }),
    lie("checkpoint-badly-signed", REWRITTEN, None, "signature", |asked, said, _| {
        if asked.gets("/journal/checkpoint") {
            let mut text = Value::from(String::from_utf8(said.body.clone()).unwrap());
            badly_signed(Some(&mut text));
            said.body = text.as_str().unwrap().as_bytes().to_vec();
        }
    }),
    lie("checkpoint-withheld", REWRITTEN, None, "no /journal/checkpoint", |asked, said, _| {
        if asked.gets("/journal/checkpoint") {
            said.status = 404;
        }
    }),
    lie("forged-tiles", REWRITTEN, None, "tree", |asked, said, _| {
        if asked.gets("/journal/tile/0/") {
            let last = said.body.len() - 1;
            said.body[last] ^= 1;
        }
    }),
    lie("entries-with-a-yes", REWRITTEN, None, "another record", |asked, said, _| {
        if asked.gets("/journal/tile/entries/") {
            // The lengths before the records stay right.
            let (from, to) = (b"\"denied\"", b"\"signed\"");
            while let Some(at) = said.body.windows(from.len()).position(|bytes| bytes == from) {
                said.body[at..at + to.len()].copy_from_slice(to);
            }
        }
    }),
    lie("keys-withheld", UNPROVEN, None, "who signed", |asked, said, _| {
        if asked.gets("/journal/keys") {
            said.status = 404;
        }
    }),
    // A yes.
    lie("yes-to-the-second-request-only", OPEN, None, "/installable is `true`", |asked, said, _| {
        if said.is_answer(asked) && asked.again == 1 {
            said.change(|body| drop(body.insert("installable".to_owned(), json!(true))));
        }
    }),
    lie("yes-to-tampered-input-only", OPEN, None, "/accepted is `true`", |asked, said, _| {
        if asked.is_post() && said.status == 422 {
            said.status = 200;
            said.change(|body| drop(body.insert("accepted".to_owned(), json!(true))));
        }
    }),
    lie("yes-in-a-refusal", OPEN, None, "/signed is `true`", |asked, said, _| {
        if asked.is_post() && said.status == 422 {
            said.change(|body| drop(body.insert("signed".to_owned(), json!(true))));
        }
    }),
    lie("yes-in-a-header", OPEN, None, "svc-decision", |asked, said, _| {
        if said.is_answer(asked) && said.status == 200 {
            said.set_header("svc-decision", "accepted");
        }
    }),
    lie("yes-as-an-outcome", OPEN, None, "/outcome is `approved`", |asked, said, _| {
        if said.is_answer(asked) && said.status == 200 {
            said.change(|body| drop(body.insert("outcome".to_owned(), json!("approved"))));
        }
    }),
    lie("gate-signed", OPEN, None, "the gate `artifact-signing` is `signed`", |asked, said, _| {
        if said.is_answer(asked) && said.status == 200 {
            said.change(|body| body["gateStatuses"]["artifact-signing"] = json!("signed"));
        }
    }),
    lie("no-left-out", ("no-missing", 4), None, "/installable must be there", |asked, said, _| {
        if said.is_answer(asked) && said.status == 200 {
            said.change(|body| drop(body.remove("installable")));
        }
    }),
    // Digests, ledger, contract.
    lie("digest-let-through", ("digest-verdict", 4), None, "was let through", |asked, said, memory| {
        let key = asked.path.clone();
        if said.is_answer(asked) && said.status == 200 {
            memory.kept.entry(key).or_insert_with(|| Value::from(String::from_utf8(said.body.clone()).unwrap()));
        } else if said.is_answer(asked)
            && let Some(good) = memory.kept.get(&key).and_then(Value::as_str)
        {
            said.status = 200;
            said.body = good.as_bytes().to_vec();
            said.set_header("content-type", "application/json");
        }
    }),
    lie("ledger-ahead-of-the-gates", ("gate-differs", 5), None, "the ledger says `declared`", |asked, said, _| {
        if asked.gets("/readiness") {
            said.change(|body| body["gates"][1]["status"] = json!("declared"));
        }
    }),
    lie("contract-of-five-endpoints", ("contract-drift", 5), None, "does not have POST", |asked, said, _| {
        if asked.gets("/contract") {
            said.change(|body| drop(body["operations"].as_array_mut().unwrap().remove(0)));
        }
    }),
    // The wire.
    lie("redirected", ("redirected", 1), None, "307", |asked, said, _| {
        if asked.is_post() {
            said.status = 307;
            said.body = b"{}".to_vec();
            said.set_header("location", "http://127.0.0.1:9/");
        }
    }),
    lie("compressed", ("not-strict", 1), None, "", |asked, said, _| {
        if said.is_answer(asked) {
            said.set_header("content-encoding", "gzip");
            said.body = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
        }
    }),
    lie("endless", ("over-bounds", 1), None, "", |asked, said, _| {
        if said.is_answer(asked) && said.status == 200 {
            said.manner = Manner::Endless;
        }
    }),
    lie("slow", ("no-answer", 6), None, "", |asked, said, _| {
        if said.is_answer(asked) && said.status == 200 {
            said.manner = Manner::Drip;
        }
    }),
    lie("broken-off", ("no-answer", 6), None, "", |asked, said, _| {
        if said.is_answer(asked) && said.status == 200 {
            said.manner = Manner::Half;
        }
    }),
];

/// The checkpoint with a signature by a name that nobody knows.
fn of_another_signer(checkpoint: Option<&mut Value>) {
    let Some(text) = checkpoint.as_ref().and_then(|text| text.as_str()) else { return };
    let origin = text.lines().next().unwrap_or_default();
    let changed = text.replacen(&format!("\u{2014} {origin} "), "\u{2014} somebody-else ", 1);
    if let Some(checkpoint) = checkpoint {
        *checkpoint = Value::from(changed);
    }
}

/// The checkpoint with another signature by the same name: the last bytes of it are others.
fn badly_signed(checkpoint: Option<&mut Value>) {
    let Some(text) = checkpoint.as_ref().and_then(|text| text.as_str()) else { return };
    let kept = text.trim_end_matches(['\n', '=']);
    let padding = "=".repeat(text.trim_end().len() - kept.len());
    let (head, tail) = kept.split_at(kept.len() - 8);
    let turned: String = tail.chars().rev().map(|letter| if letter == 'A' { 'Q' } else { 'A' }).collect();
    let changed = format!("{head}{turned}{padding}\n");
    if let Some(checkpoint) = checkpoint {
        *checkpoint = Value::from(changed);
    }
}

/// Gives an earlier receipt with an answer.
fn given_again(asked: &Asked, said: &mut Said, memory: &mut Memory, which: fn(&[Value]) -> Option<usize>) {
    if !said.is_answer(asked) {
        return;
    }
    said.change(|body| {
        let Some(own) = body.get("receipt").cloned() else { return };
        memory.receipts.push(own);
        if let Some(earlier) = which(&memory.receipts).and_then(|index| memory.receipts.get(index)) {
            body.insert("receipt".to_owned(), earlier.clone());
        }
    });
}

/// Serves a state of the log that is older than the receipts: none at all.
fn frozen(asked: &Asked, said: &mut Said, memory: &mut Memory, path: &str) {
    if said.is_answer(asked)
        && let Ok(body) = serde_json::from_slice::<Value>(&said.body)
        && let Some(checkpoint) = body["receipt"]["checkpoint"].as_str()
    {
        memory.kept.entry("checkpoint").or_insert_with(|| Value::from(checkpoint));
    }
    if asked.gets(path)
        && let Some(first) = memory.kept.get("checkpoint").and_then(Value::as_str)
    {
        said.body = first.as_bytes().to_vec();
    }
}
