//! The lies: what is false, and how a client that insists must find it out.

use serde_json::{Map, Value, json};
use svc_json::canonical;

use super::{
    around::{self, BEYOND_FETCH, NOT_ASKED},
    client::{ByClient, Error},
    proxy::{Asked, Bend, Manner, Memory, Said},
};

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
    /// The other check that cannot but see it.
    pub also: Option<Also>,
    /// How a client that insists finds it out.
    pub client: ByClient,
    pub bend: Bend,
}

/// A fault beside the lie's own. Without one, nothing but its own check sees a lie at the level that it breaks.
#[derive(Debug)]
pub struct Also {
    pub code: &'static str,
    /// What the sentence about it holds.
    pub told: &'static str,
    /// Why the lie cannot be told without it.
    pub why: &'static str,
}

const fn lie(
    name: &'static str,
    (code, exit): (&'static str, u8),
    holds: Option<&'static str>,
    told: &'static str,
    client: ByClient,
    bend: Bend,
) -> Lie {
    Lie { name, code, exit, holds, told, also: None, client, bend }
}

impl Lie {
    const fn also(self, code: &'static str, told: &'static str, why: &'static str) -> Self {
        Self { also: Some(Also { code, told, why }), ..self }
    }
}

/// A receipt that proves nothing.
const UNPROVEN: (&str, u8) = ("receipt-unproven", 4);
/// A log that is not one.
const REWRITTEN: (&str, u8) = ("log-rewritten", 4);
const OPEN: (&str, u8) = ("open-claim", 7);
/// Answers that pages of other sites may read.
const CROSS_ORIGIN: (&str, u8) = ("cross-origin", 1);

/// What the client says to a yes.
const FAIL_OPEN: ByClient = ByClient::Throws(Error::FailOpen, "fail-open");
/// And to what is closed and not of our contract.
const OTHER_CONTRACT: ByClient = ByClient::Throws(Error::Contract, "contract");
/// And to what is no answer at all.
const NO_ANSWER: ByClient = ByClient::Throws(Error::UnexpectedAnswer, "unexpected-answer");

/// A proof that fails.
const fn proof(code: &'static str) -> ByClient {
    ByClient::Throws(Error::Proof, code)
}

/// Every lie.
pub static LIES: &[Lie] = &[
    // Receipts.
    lie(
        "receipts-dropped",
        ("receipt-missing", 1),
        Some("contract"),
        "has no receipt",
        proof("proof-missing"),
        |asked, said, _| {
            if said.is_answer(asked) {
                said.change(|body| drop(body.remove("receipt")));
            }
        },
    ),
    lie(
        "receipt-dropped-for-refusals",
        ("receipt-missing", 1),
        Some("contract"),
        "has no receipt",
        proof("proof-missing"),
        |asked, said, _| {
            if said.is_answer(asked) && said.status == 422 {
                said.change(|body| drop(body.remove("receipt")));
            }
        },
    ),
    lie("receipt-of-another-signer", UNPROVEN, None, "unknown-key", proof("proof-unknown-key"), |asked, said, _| {
        if said.is_answer(asked) {
            said.change_receipt(|receipt| of_another_signer(receipt.get_mut("checkpoint")));
        }
    }),
    lie("receipt-badly-signed", UNPROVEN, None, "bad-signature", proof("proof-bad-signature"), |asked, said, _| {
        if said.is_answer(asked) {
            said.change_receipt(|receipt| badly_signed(receipt.get_mut("checkpoint")));
        }
    }),
    lie("receipt-of-another-leaf", UNPROVEN, None, "other-leaf", proof("proof-other-leaf"), |asked, said, _| {
        if said.is_answer(asked) {
            said.change_receipt(|receipt| drop(receipt.insert("leafHash".to_owned(), receipt["rootHash"].clone())));
        }
    }),
    lie("receipt-with-a-broken-path", UNPROVEN, None, "bad-path", proof("proof-bad-path"), |asked, said, _| {
        if said.is_answer(asked) {
            said.change_receipt(|receipt| {
                let root = receipt["rootHash"].clone();
                if let Some(first) = receipt.get_mut("proof").and_then(|proof| proof.get_mut(0)) {
                    *first = root;
                }
            });
        }
    }),
    lie("receipt-of-another-place", UNPROVEN, None, "other-place", proof("proof-other-place"), |asked, said, _| {
        if said.is_answer(asked) {
            said.change_receipt(|receipt| {
                let place = receipt["index"].as_u64().unwrap();
                receipt.insert("index".to_owned(), json!(place + 1));
            });
        }
    }),
    lie("receipt-of-another-tree", UNPROVEN, None, "other-tree", proof("proof-other-tree"), |asked, said, _| {
        if said.is_answer(asked) {
            said.change_receipt(|receipt| {
                let size = receipt["treeSize"].as_u64().unwrap();
                receipt.insert("treeSize".to_owned(), json!(size + 1));
            });
        }
    }),
    lie(
        "receipt-of-the-answer-before",
        UNPROVEN,
        None,
        "other-answer",
        proof("proof-other-answer"),
        |asked, said, memory| {
            given_again(asked, said, memory, |receipts| receipts.len().checked_sub(2));
        },
    ),
    lie(
        "one-receipt-for-all-answers",
        UNPROVEN,
        None,
        "other-answer",
        proof("proof-other-answer"),
        |asked, said, memory| {
            given_again(asked, said, memory, |receipts| (!receipts.is_empty()).then_some(0));
        },
    ),
    lie("record-of-a-yes", OPEN, None, "/receipt/record/outcome is `accepted`", FAIL_OPEN, |asked, said, _| {
        if said.is_answer(asked) {
            said.change_receipt(|receipt| receipt["record"]["outcome"] = json!("accepted"));
        }
    })
    .also("receipt-unproven", "not-a-refusal", "a receipt that proves a no has no record of a yes"),
    lie("record-without-its-missing-gates", UNPROVEN, None, "not-a-refusal", OTHER_CONTRACT, |asked, said, _| {
        if said.is_answer(asked) {
            said.change_receipt(|receipt| receipt["record"]["missingGates"] = json!([]));
        }
    }),
    lie(
        "refusal-reworded-around-its-receipt",
        UNPROVEN,
        None,
        "other-answer",
        proof("proof-other-answer"),
        |asked, said, _| {
            if said.is_answer(asked) && said.status == 422 {
                said.change(|body| drop(body.insert("detail".to_owned(), json!("nothing to worry about"))));
            }
        },
    ),
    lie(
        "decision-reworded-around-its-receipt",
        UNPROVEN,
        None,
        "other-answer",
        proof("proof-other-answer"),
        |asked, said, _| {
            if said.is_answer(asked) && said.status == 200 {
                said.change(|body| {
                    body.insert("note".to_owned(), json!("looks good to us"));
                    renamed(body);
                });
            }
        },
    ),
    // The log.
    lie(
        "frozen-checkpoint",
        REWRITTEN,
        None,
        "records",
        ByClient::Throws(Error::Log, "log-shrank"),
        |asked, said, memory| {
            frozen(asked, said, memory, "/journal/checkpoint");
        },
    )
    .also("log-rewritten", "another record", "what a state is too old for has no record in it either"),
    lie("checkpoint-badly-signed", REWRITTEN, None, "signature", proof("proof-bad-signature"), |asked, said, _| {
        if asked.gets("/journal/checkpoint") {
            let mut text = Value::from(String::from_utf8(said.body.clone()).unwrap());
            badly_signed(Some(&mut text));
            said.body = text.as_str().unwrap().as_bytes().to_vec();
        }
    }),
    lie("checkpoint-withheld", REWRITTEN, None, "no /journal/checkpoint", NO_ANSWER, |asked, said, _| {
        if asked.gets("/journal/checkpoint") {
            said.status = 404;
        }
    }),
    lie("forged-tiles", REWRITTEN, None, "tree", ByClient::Throws(Error::Log, "log-unproven"), |asked, said, _| {
        if asked.gets("/journal/tile/0/") {
            let last = said.body.len() - 1;
            said.body[last] ^= 1;
        }
    }),
    lie(
        "entries-with-a-yes",
        REWRITTEN,
        None,
        "is no record of a no",
        ByClient::Unseen("it reads records one at a time, as /journal/entries lists them, and no tiles of them"),
        |asked, said, _| {
            if asked.gets("/journal/tile/entries/") {
                // The lengths before the records stay right.
                let (from, to) = (b"\"denied\"", b"\"signed\"");
                while let Some(at) = said.body.windows(from.len()).position(|bytes| bytes == from) {
                    said.body[at..at + to.len()].copy_from_slice(to);
                }
            }
        },
    ),
    lie("keys-withheld", UNPROVEN, None, "who signed", NO_ANSWER, |asked, said, _| {
        if asked.gets("/journal/keys") {
            said.status = 404;
        }
    }),
    // A yes.
    lie("yes-to-the-second-request-only", OPEN, None, "/installable is `true`", FAIL_OPEN, |asked, said, _| {
        if said.is_answer(asked) && asked.again == 1 {
            said.change(|body| {
                body.insert("installable".to_owned(), json!(true));
                unrecorded(body);
            });
        }
    }),
    lie("yes-to-tampered-input-only", OPEN, None, "/accepted is `true`", FAIL_OPEN, |asked, said, _| {
        // A digest that is let through would be told as that.
        if asked.is_post() && said.status == 422 && !said.holds("digest-mismatch") {
            said.status = 200;
            said.change(|body| {
                body.insert("accepted".to_owned(), json!(true));
                unrecorded(body);
            });
        }
    }),
    lie("yes-in-a-refusal", OPEN, None, "/signed is `true`", FAIL_OPEN, |asked, said, _| {
        if asked.is_post() && said.status == 422 {
            said.change(|body| {
                body.insert("signed".to_owned(), json!(true));
                unrecorded(body);
            });
        }
    }),
    lie(
        "yes-in-a-header",
        OPEN,
        None,
        "svc-decision",
        ByClient::Unseen("it goes by the body alone, and no header can change what that says"),
        |asked, said, _| {
            if said.is_answer(asked) && said.status == 200 {
                said.set_header("svc-decision", "accepted");
            }
        },
    ),
    lie("yes-as-an-outcome", OPEN, None, "/outcome is `approved`", FAIL_OPEN, |asked, said, _| {
        if said.is_answer(asked) && said.status == 200 {
            said.change(|body| {
                body.insert("outcome".to_owned(), json!("approved"));
                unrecorded(body);
            });
        }
    }),
    lie("gate-signed", OPEN, None, "the gate `artifact-signing` is `signed`", FAIL_OPEN, |asked, said, _| {
        if said.is_answer(asked) && said.status == 200 {
            said.change(|body| {
                body["gateStatuses"]["artifact-signing"] = json!("signed");
                unrecorded(body);
            });
        }
    }),
    lie("no-left-out", ("no-missing", 1), None, "`installable` must be there", OTHER_CONTRACT, |asked, said, _| {
        if said.is_answer(asked) && said.status == 200 {
            said.change(|body| {
                body.remove("installable");
                unrecorded(body);
            });
        }
    }),
    // Digests, ledger, contract.
    lie(
        "digest-let-through",
        ("digest-verdict", 4),
        None,
        "was let through",
        proof("proof-missing"),
        |asked, said, memory| {
            let key = asked.path.clone();
            if said.is_answer(asked) && said.status == 200 {
                said.change(|body| drop(body.remove("receipt")));
                memory.kept.entry(key).or_insert_with(|| Value::from(String::from_utf8(said.body.clone()).unwrap()));
            } else if said.is_answer(asked)
                && let Some(good) = memory.kept.get(&key).and_then(Value::as_str)
            {
                said.status = 200;
                said.body = good.as_bytes().to_vec();
                said.set_header("content-type", "application/json");
            }
        },
    ),
    lie(
        "ledger-ahead-of-the-gates",
        ("gate-differs", 5),
        None,
        "the ledger says `declared`",
        OTHER_CONTRACT,
        |asked, said, _| {
            if asked.gets("/readiness") {
                said.change(|body| body["gates"][1]["status"] = json!("declared"));
            }
        },
    ),
    lie(
        "contract-of-five-endpoints",
        ("contract-drift", 5),
        None,
        "does not have POST",
        ByClient::Unseen("it asks the six endpoints that it was generated with, whatever the contract lists"),
        |asked, said, _| {
            if asked.gets("/contract") {
                said.change(|body| drop(body["operations"].as_array_mut().unwrap().remove(0)));
            }
        },
    ),
    // The wire.
    lie(
        "redirected",
        ("redirected", 1),
        None,
        "307",
        ByClient::Throws(Error::UnexpectedAnswer, "redirect"),
        |asked, said, _| {
            if asked.is_post() {
                said.status = 307;
                said.body = b"{}".to_vec();
                said.set_header("location", "http://127.0.0.1:9/");
            }
        },
    ),
    lie("compressed", ("not-strict", 1), None, "", ByClient::Throws(Error::Client, "unreachable"), |asked, said, _| {
        if said.is_answer(asked) {
            said.set_header("content-encoding", "gzip");
            // A right head, and behind it a block of no type.
            said.body = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 7];
        }
    })
    .also("not-answered", "a body that is not JSON", "what cannot be read answers nothing"),
    lie(
        "endless",
        ("over-bounds", 1),
        None,
        "",
        ByClient::Throws(Error::UnexpectedAnswer, "too-large"),
        |asked, said, _| {
            if said.is_answer(asked) && said.status == 200 {
                said.manner = Manner::Endless;
            }
        },
    ),
    lie("slow", ("no-answer", 6), None, "", ByClient::Throws(Error::Client, "timeout"), |asked, said, _| {
        if said.is_answer(asked) && said.status == 200 {
            said.manner = Manner::Drip;
        }
    }),
    lie("broken-off", ("no-answer", 6), None, "", ByClient::Throws(Error::Client, "unreachable"), |asked, said, _| {
        if said.is_answer(asked) && said.status == 200 {
            said.manner = Manner::Half;
        }
    }),
    // Around the answers, and where nobody posts.
    lie("claim-in-a-trailer", OPEN, None, "the trailer `x-package`", ByClient::Unseen(BEYOND_FETCH), around::TRAILER),
    lie("claim-before-the-answer", OPEN, None, "of an answer 103", ByClient::Unseen(BEYOND_FETCH), around::EARLY_HINTS),
    lie(
        "answers-without-end-before-the-answer",
        ("over-bounds", 1),
        None,
        "came before the answer",
        ByClient::Unseen(BEYOND_FETCH),
        around::EARLY_FLOOD,
    ),
    lie("claim-as-reason", OPEN, None, "the reason phrase", ByClient::Unseen(BEYOND_FETCH), around::REASON_PHRASE),
    lie("open-to-other-sites", CROSS_ORIGIN, Some("closed"), "is `*`", ByClient::Unseen(NOT_ASKED), around::OPEN_CORS),
    lie(
        "open-to-the-site-that-asks",
        CROSS_ORIGIN,
        Some("closed"),
        "pages of other sites may read",
        ByClient::Unseen(NOT_ASKED),
        around::CORS_BY_ORIGIN,
    ),
    lie("claim-to-head", OPEN, None, "HEAD /api", ByClient::Unseen(NOT_ASKED), around::HEAD_CLAIMS),
    lie(
        "another-type-to-head",
        ("wrong-header", 1),
        Some("contract"),
        "HEAD has `content-type: text/html`",
        ByClient::Unseen(NOT_ASKED),
        around::HEAD_DIFFERS,
    ),
    lie(
        "yes-by-another-method",
        OPEN,
        None,
        "/status is `approved`",
        ByClient::Unseen(NOT_ASKED),
        around::OTHER_METHOD,
    ),
    lie("yes-on-a-described-route", OPEN, None, "/accepted is", ByClient::Unseen(NOT_ASKED), around::DESCRIBED_ROUTE),
    lie("page-of-another-record", REWRITTEN, None, "/journal/entries", proof("proof-bad-path"), around::RECORDS_PAGE),
    lie("page-with-a-yes", OPEN, None, "/entries/0/record/accepted", FAIL_OPEN, around::OPEN_RECORDS_PAGE).also(
        "log-rewritten",
        "/journal/entries",
        "a record with a yes is no record of a no",
    ),
    lie("proof-of-another-record", REWRITTEN, None, "/journal/proof/", ByClient::Unseen(NOT_ASKED), around::PROOF),
];

/// Gives a changed decision the id that its words have, as whoever made it up would.
fn renamed(body: &mut Map<String, Value>) {
    if body.contains_key("decisionId") {
        let view = body.iter().filter(|(name, _)| !["decisionId", "receipt", "requestId"].contains(&name.as_str()));
        let view: Map<String, Value> = view.map(|(name, value)| (name.clone(), value.clone())).collect();
        body.insert("decisionId".to_owned(), json!(canonical::digest(&view).0.to_string()));
    }
}

/// A made-up answer that nothing else gives away: a receipt of other words would.
fn unrecorded(body: &mut Map<String, Value>) {
    body.remove("receipt");
    renamed(body);
}

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
