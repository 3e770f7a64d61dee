//! The same registries and liars once more, for the shapes that an answer may have: how gates, stages and digests are
//! written, honestly and otherwise.

use serde_json::{Value, json};

use super::{
    Answer, EXPRESS, FASTAPI, FLASK, Foreign, HONO, Logic, Payload, TEXT, denied_but, false_one, gates, honest,
    json_of, missing, said, whole,
};

/// The gates as a list of rows, with these names for gate and status, and with what else a row says.
fn rows(gate: &str, status: &str, more: impl Fn(&str) -> Value) -> Value {
    let gates = gates();
    let row = |(name, word): (&String, &Value)| {
        let mut row = json!({ (gate): name, (status): word });
        let more = more(name);
        more.as_object().unwrap().iter().for_each(|(name, value)| row[name] = value.clone());
        row
    };
    gates.as_object().unwrap().iter().map(row).collect()
}

fn nothing(_: &str) -> Value {
    json!({})
}

/// A registry that answers a mismatch with the status of its denial, and says so in the body.
fn same_status(payload: Payload<'_>, valid: impl FnOnce(&mut Value), mismatch: impl FnOnce(&mut Value)) -> Answer {
    let mut body = whole();
    match payload {
        Payload::Valid(_) => valid(&mut body),
        Payload::Mismatch => mismatch(&mut body),
        Payload::OtherKind => return json_of(400, &json!({ "error": "unexpected kind" })),
    }
    json_of(200, &body)
}

/// Registries that keep the specification in shapes of their own.
pub static HONEST_SHAPES: &[Foreign] = &[
    honest("rows-with-a-verified-digest", &EXPRESS, |_, payload| {
        denied_but(payload, |body| {
            let mut rows = rows("gate", "status", nothing);
            for row in rows.as_array_mut().unwrap().iter_mut().filter(|row| row["gate"] == "artifact-hash") {
                row["status"] = json!("verified");
            }
            body["gateStatuses"] = rows;
            body["checks"] = json!([{ "check": "digest", "result": "verified" }]);
            body["artifact_hash"] = json!({ "status": "verified" });
        })
    }),
    honest("rows-with-names-of-their-own", &HONO, |_, payload| {
        denied_but(payload, |body| {
            body["gateStatuses"] =
                rows("gateName", "localStatus", |_| json!({ "passedWhen": "verified", "cleared": false }));
            body["stages"] = json!([{ "stage": "Signed package", "reached": false }]);
        })
    }),
    honest("gates-as-texts-and-missing-as-an-object", &FASTAPI, |_, payload| {
        denied_but(payload, |body| {
            let gates = gates();
            let texts =
                gates.as_object().unwrap().iter().map(|(gate, word)| format!("{gate}: {}", word.as_str().unwrap()));
            body["gateStatuses"] = texts.collect();
            let mut missing = gates.clone();
            missing.as_object_mut().unwrap().remove("artifact-hash");
            body["missingGates"] = missing;
        })
    }),
    honest("gates-one-level-below", &FLASK, |_, payload| {
        denied_but(payload, |body| {
            body["gateStatuses"] = json!({ "version": 1, "gates": rows("slug", "current", nothing) })
        })
    }),
    honest("a-mismatch-adds-artifact-hash-to-the-missing", &EXPRESS, |_, payload| {
        same_status(payload, |_| {}, |body| body["missingGates"].as_array_mut().unwrap().push(json!("artifact-hash")))
    }),
    honest("a-mismatch-changes-the-status-of-artifact-hash", &FASTAPI, |_, payload| {
        same_status(payload, |_| {}, |body| body["gateStatuses"]["artifact-hash"] = json!("missing"))
    }),
    honest("a-mismatch-shows-both-digests", &FLASK, |_, payload| {
        let digests = |recomputed: &str| json!({ "declared": "sha256:ab", "recomputed": recomputed });
        let valid = |body: &mut Value| body["digest"] = digests("sha256:ab");
        same_status(payload, valid, |body| body["digest"] = digests("sha256:cd"))
    }),
    honest("a-mismatch-in-another-language", &HONO, |_, payload| {
        same_status(payload, |_| {}, |body| *body = json!({ "accepted": false, "fehler": "falsch" }))
    }),
    honest("a-mismatch-as-text", &HONO, |_, payload| match payload {
        Payload::Valid(_) => json_of(422, &whole()),
        Payload::Mismatch | Payload::OtherKind => said(422, TEXT, "SHA-256".to_owned()),
    }),
];

/// Beside the word of the gate, in the message.
const BESIDE: &str = "next to `unverified`";

const fn beside(name: &'static str, logic: Logic) -> Foreign {
    false_one(name, ("open-claim", BESIDE), &EXPRESS, logic)
}

/// Says something of the gate of the publisher, and of no other.
fn of_publisher(gate: &str, more: Value) -> Value {
    if gate == "publisher-verification" { more } else { json!({}) }
}

/// Liars who are found by the shape of what they say.
pub static FALSE_SHAPES: &[Foreign] =
    &[
        beside("cleared-beside-the-word", |_, payload| {
            denied_but(payload, |body| {
                body["gateStatuses"]["publisher-verification"] = json!({ "status": "unverified", "cleared": true });
            })
        }),
        beside("not-missing-beside-the-word", |_, payload| {
            denied_but(payload, |body| {
                body["gateStatuses"] = rows("gateId", "status", |gate| of_publisher(gate, json!({ "missing": false })));
            })
        }),
        beside("verified-at-in-other-rows", |_, payload| {
            denied_but(payload, |body| {
                body["gates"] =
                    rows("gate", "status", |gate| of_publisher(gate, json!({ "verifiedAt": "2026-01-01" })));
            })
        }),
        beside("waived-in-the-list-of-the-missing", |_, payload| {
            denied_but(payload, |body| {
                body["missingGates"] = rows("gate", "status", |gate| of_publisher(gate, json!({ "waived": true })));
            })
        }),
        beside("effective-beside-the-word", |_, payload| {
            denied_but(payload, |body| {
                body["gateStatuses"] =
                    rows("gate", "status", |gate| of_publisher(gate, json!({ "effective": "verified" })));
            })
        }),
        false_one(
            "the-missing-are-waived",
            ("open-claim", "/waivedGates names `publisher-verification`"),
            &HONO,
            |_, payload| {
                denied_but(payload, |body| {
                    body.as_object_mut().unwrap().remove("missingGates");
                    body["waivedGates"] = missing();
                })
            },
        ),
        false_one("the-missing-are-closed", ("no-missing", "there is no list of the gates"), &FASTAPI, |_, payload| {
            denied_but(payload, |body| {
                body.as_object_mut().unwrap().remove("missingGates");
                body["closedGates"] = missing();
            })
        }),
        false_one(
            "another-name-of-the-stage",
            ("open-claim", "/currentStage is `signed-package`"),
            &FLASK,
            |_, payload| denied_but(payload, |body| body["currentStage"] = json!("signed-package")),
        ),
        false_one("a-publisher-that-is-verified", ("open-claim", "the gate `publisher` has"), &FLASK, |_, payload| {
            denied_but(payload, |body| body["publisher"] = json!({ "verified": true }))
        }),
        false_one("a-mismatch-is-not-found", ("wrong-status", "nothing looked at it"), &EXPRESS, |_, payload| {
            match payload {
                Payload::Valid(_) => json_of(200, &whole()),
                Payload::Mismatch | Payload::OtherKind => json_of(404, &json!({ "error": "not found" })),
            }
        }),
    ];
