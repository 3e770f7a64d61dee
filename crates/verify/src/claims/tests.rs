//! Bodies and headers that claim something, and those that do not.

use super::*;

fn claims(body: &str) -> Vec<FaultCode> {
    let reply = Reply { status: 200, headers: Vec::new(), body: body.as_bytes().to_vec(), ..Reply::default() };
    open_claims(&reply, Reading::Statement).into_iter().map(|fault| fault.code).collect()
}

#[test]
fn an_open_word_is_a_claim_wherever_something_stands_and_no_other_word_is() {
    for standing in seed::STANDINGS {
        for word in seed::OPEN_WORDS {
            for body in [
                format!("{{\"{standing}\":\"{word}\"}}"),
                format!("{{\"receipt\":{{\"record\":{{\"{standing}\":\" {} \"}}}}}}", word.to_uppercase()),
            ] {
                assert_eq!(claims(&body), [FaultCode::OpenClaim], "{body}");
            }
            assert_eq!(claims(&format!("{{\"{standing}\":\"un{word}\"}}")), []);
            assert_eq!(claims(&format!("{{\"{standing}\":\"not yet {word}\"}}")), []);
        }
        for word in ["denied", "refused", "allowed", "complete", "prepared"] {
            assert_eq!(claims(&format!("{{\"{standing}\":\"{word}\"}}")), [], "{word}");
        }
    }
    assert_eq!(claims("{\"operation\":\"approved\"}"), []);
    assert_eq!(claims("{\"stage\":\"signed-package\"}"), [FaultCode::OpenClaim]);
    assert_eq!(claims("{\"blocksStage\":\"signed-package\"}"), []);
    let recorded = "{\"receipt\":{\"record\":{\"outcome\":\"refused\",\"accepted\":true}}}";
    assert_eq!(claims(recorded), [FaultCode::OpenClaim]);
}

#[test]
fn only_a_description_may_say_something_else_of_a_flag_than_false() {
    let body = "{\"properties\":{\"accepted\":{\"const\":false}}}";
    assert_eq!(claims(body), [FaultCode::OpenClaim]);
    let reply = Reply { body: body.as_bytes().to_vec(), ..Reply::default() };
    assert_eq!(open_claims(&reply, Reading::Description), []);
}

#[test]
fn a_gate_with_an_open_word_is_a_claim_but_for_the_one_that_shows_something() {
    for word in seed::OPEN_WORDS {
        let statuses = |gate: &str| claims(&format!("{{\"gateStatuses\":{{\"{gate}\":\"{word}\"}}}}"));
        for gate in seed::missing().chain(["self-review"]) {
            assert_eq!(statuses(gate).first(), Some(&FaultCode::OpenClaim), "{gate} {word}");
        }
        assert!(!statuses(seed::SHOWN_GATE).contains(&FaultCode::OpenClaim), "{word}");
    }
}

#[test]
fn every_spelling_of_an_open_flag_is_seen() {
    for flag in seed::FLAGS {
        for value in ["true", "1", "0", "null", "\"false\"", "\"true\"", "\"\"", "1.5", "[]", "{}"] {
            for body in [format!("{{\"{flag}\":{value}}}"), format!("{{\"a\":[{{\"b\":{{\"{flag}\":{value}}}}}]}}")] {
                assert_eq!(claims(&body).first(), Some(&FaultCode::OpenClaim), "{body}");
            }
        }
        assert_eq!(claims(&format!("{{\"{flag}\":false}}")), []);
        assert!(claims(&format!("{{\"{flag}\":false,\"{flag}\":true}}")).contains(&FaultCode::OpenClaim));
        assert!(claims(&format!("{{\"{flag}\":false}}{{\"{flag}\":true}}")).contains(&FaultCode::OpenClaim));
        assert_eq!(claims(&format!("<p>{flag} = TRUE</p>")), [FaultCode::OpenClaim]);
        assert_eq!(claims(&format!("<p>{flag}: <b>yes</b></p>")), [FaultCode::OpenClaim]);
        assert_eq!(claims(&format!("<p>{flag}: no</p>")), []);
    }
}

#[test]
fn a_gate_with_another_word_is_seen_wherever_it_stands() {
    let all: Vec<String> = seed::LEDGER.iter().map(|(gate, _, word)| format!("\"{gate}\":\"{word}\"")).collect();
    let statuses = |gates: &[String]| format!("{{\"x\":{{\"gateStatuses\":{{{}}}}}}}", gates.join(","));
    assert_eq!(claims(&statuses(&all)), []);
    for (index, (gate, ..)) in seed::LEDGER.iter().enumerate() {
        let mut other = all.clone();
        other[index] = format!("\"{gate}\":\"pending\"");
        assert_eq!(claims(&statuses(&other)), [FaultCode::GateDiffers], "{gate}");
        other.remove(index);
        assert_eq!(claims(&statuses(&other)), [FaultCode::GateDiffers], "{gate}");
    }
    assert_eq!(claims("{\"missingGates\":[]}"), [FaultCode::GateDiffers]);
}

#[test]
fn a_cleared_gate_is_a_claim_in_every_shape_and_spelling() {
    for (gate, word) in [("publisherVerification", "\"done\""), ("Artifact signing", "true"), ("review", "\"Stored\"")]
    {
        for body in [
            format!("{{\"gateStatuses\":{{\"{gate}\":{word}}}}}"),
            format!("{{\"gateStatuses\":{{\"{gate}\":{{\"state\":{word}}}}}}}"),
            format!("{{\"gateStatuses\":[{{\"name\":\"{gate}\",\"status\":{word}}}]}}"),
            format!("{{\"gateStatuses\":[[\"{gate}\",{word}]]}}"),
        ] {
            assert_eq!(claims(&body).first(), Some(&FaultCode::OpenClaim), "{body}");
        }
    }
    for body in [
        "{\"gateStatuses\":[[\"artifactHash\",\"verified\"]]}",
        "{\"gateStatuses\":[[\"malware-scan\",\"done\"]]}",
        "{\"gateStatuses\":[[\"publisher\",\"unverified\"]]}",
    ] {
        assert!(!claims(body).contains(&FaultCode::OpenClaim), "{body}");
    }
}

#[test]
fn a_yes_in_other_words_is_a_claim_and_a_no_is_none() {
    for body in [
        r#"{"approved":true}"#,
        r#"{"isAccepted":true}"#,
        r#"{"package_accepted":"yes"}"#,
        r#"{"accepted ":true}"#,
        r#"{"package.accepted":1}"#,
        r#"{"canInstall":true}"#,
        r#"{"flags":[{"name":"accepted","value":true}]}"#,
        r#"{"outcome":["denied","accepted"]}"#,
        r#"{"outcome":{"value":"accepted"}}"#,
        r#"{"reviewStatus":"Approved."}"#,
        r#"{"gates":{"artifact-signing":"signed"}}"#,
        r#"{"publisherVerification":"verified"}"#,
        r#"{"gate_statuses":{"host-install-policy":"ok"}}"#,
        r#"{"clearedGates":["artifact-hash","artifact-signing"]}"#,
        r#"{"okGates":["artifact-signing"]}"#,
        r#"{"clearedGates":[{"gate":"artifact-signing"}]}"#,
        r#"{"clearedGates":"artifact-signing"}"#,
        r#"{"noLongerMissing":["artifact-signing"]}"#,
        r#"{"gates":{"done":["host-install-policy"]}}"#,
        r#"{"gates":[["artifact-signing","signed"]]}"#,
        r#"{"gates":{"artifact-signing":{"cleared":true}}}"#,
        r#"{"gates":[{"gate":"artifact-signing","missing":false}]}"#,
        r#"{"checks":{"host-install-policy":{"passed":true}}}"#,
        r#"{"approved":"Y"}"#,
        r#"{"acceptedAt":"2026-11-18T00:00:00Z"}"#,
        r#"{"signedBy":"registry"}"#,
        r#"{"signed-off":true}"#,
        r#"{"approved":"not denied"}"#,
        r#"{"approved":"no objections"}"#,
        r#"{"notInstallable":false}"#,
        r#"{"unsigned":false}"#,
        "{\"accep\u{200b}ted\":true}",
        "{\"outcome\":\"accepted\u{200b}\"}",
        r#"{"outcome":{"code":"accepted"}}"#,
        r#"{"decision":"yes"}"#,
        r#"{"stage":{"id":"installed"}}"#,
        r#"{"verified":["publisher-verification"]}"#,
        r#"{"clearedGates":[["publisher-verification"]]}"#,
        r#"{"cleared":{"publisher-verification":"2026-11-18"}}"#,
        r#"{"publisherVerified":true}"#,
        r#"{"gateStatuses":{"publisher-verification":"Verified ✓"}}"#,
        r#"{"gateStatuses":{"publisher-verification":"already verified"}}"#,
        r#"{"gateStatuses":{"publisher-verification":"no longer missing"}}"#,
        r#"{"gateStatuses":{"publisher-verification":"not blocked"}}"#,
        r#"{"gateStatuses":{"publisher-verification":"certified"}}"#,
        r#"{"approved":{"by":"me"}}"#,
        r#"{"published":"2026-01-01"}"#,
        r#"{"installed":true}"#,
        r#"{"stage":"SIGNED_PACKAGE"}"#,
        r#"{"stage":"publicListing"}"#,
        r#"{"data":"{\"accepted\":true}"}"#,
        r#""accepted""#,
        r#"["accepted"]"#,
        "true",
        "accepted",
        "<accepted>true</accepted>",
        "{\0\"\0a\0c\0c\0e\0p\0t\0e\0d\0\"\0:\0t\0r\0u\0e\0}\0",
    ] {
        assert!(claims(body).contains(&FaultCode::OpenClaim), "{body}");
    }
    for body in [
        r#"{"isAccepted":false,"approved":false,"published":false,"unsigned":true,"cosigned":1,"notAccepted":true}"#,
        r#"{"acceptedMediaTypes":["application/json"],"digestVerified":true,"requiresSigning":true}"#,
        r#"{"flags":[{"name":"accepted","value":false}]}"#,
        r#"{"beforeItIsAccepted":["artifact-signing"],"mustBeCleared":["artifact-signing"],"acceptedAt":null}"#,
        r#"{"blockers":[{"gate":"artifact-signing","blocksStage":"installed"}],"blockedStage":"installed"}"#,
        r#"{"approved":"not yet approved","installed":"never","released":"not released","published":"unpublished"}"#,
        r#"{"gates":{"artifact-hash":"verified","artifact-signing":"unsigned"}}"#,
        r#"{"requiredGates":["artifact-signing"],"clearedGates":["artifact-hash"]}"#,
        r#"{"approved":"no","published":"not yet","installed":null,"released":0,"approvedBy":[]}"#,
        r#"{"missing":[{"gate":"artifact-signing","missing":true}],"open":[{"gate":"artifact-signing","cleared":false}]}"#,
        r#"{"gates":[["artifact-signing","unsigned"],["artifact-hash","verified"]],"missingGates2":["artifact-signing"]}"#,
        r#"{"message":"a package is never accepted here","state":"denied","publisher":"Acme"}"#,
        "not accepted",
        "false",
    ] {
        assert_eq!(claims(body), [], "{body}");
    }
}

#[test]
fn a_header_is_a_claim_too() {
    let claims = |name: &str, value: &str| {
        let reply =
            Reply { status: 500, headers: vec![(name.into(), value.into())], body: b"{}".to_vec(), ..Reply::default() };
        open_claims(&reply, Reading::Statement).len()
    };
    assert_eq!(claims("svc-decision", "denied"), 0);
    assert_eq!(claims("svc-decision", "granted"), 1);
    assert_eq!(claims("svc-decision", "yes"), 1);
    assert_eq!(claims("x-state", "Approved"), 1);
    assert_eq!(claims("x-result", "denied, signed"), 1);
    assert_eq!(claims("svc-decision", "Approved"), 1);
    assert_eq!(claims("x-package-accepted", "1"), 1);
    assert_eq!(claims("x-package-accepted", "false"), 0);
    assert_eq!(claims("x-cleared-gates", "artifact-signing"), 1);
    assert_eq!(claims("x-missing-gates", "artifact-signing"), 0);
    assert_eq!(claims("x-note", "installable=true"), 1);
    assert_eq!(claims("x-decision", "\"accepted\""), 1);
    assert_eq!(claims("x-gate-status", "publisher-verification=verified"), 1);
    assert_eq!(claims("x-gate-status", "publisher-verification=unverified"), 0);
    assert_eq!(claims("content-type", "application/json"), 0);
}

#[test]
fn a_yes_beside_the_word_of_a_gate_is_a_claim_whatever_it_is_called() {
    for beside in [
        r#""cleared":true"#,
        r#""cleared":"yes""#,
        r#""isVerified":true"#,
        r#""verifiedAt":"2026-01-01""#,
        r#""waived":true"#,
        r#""missing":false"#,
        r#""stillMissing":false"#,
        r#""missing":"no""#,
        r#""required":false"#,
        r#""effective":"verified""#,
        r#""override":"passed""#,
        r#""detail":{"cleared":true}"#,
    ] {
        for body in [
            format!(r#"{{"gateStatuses":{{"publisher-verification":{{"status":"unverified",{beside}}}}}}}"#),
            format!(r#"{{"gateStatuses":[{{"gateName":"publisher-verification","status":"unverified",{beside}}}]}}"#),
            format!(r#"{{"gates":[{{"slug":"publisher-verification","current":"unverified",{beside}}}]}}"#),
            format!(r#"{{"missing":[{{"gate":"Publisher verification",{beside}}}]}}"#),
            format!(r#"{{"x":{{"publisherVerification":{{"status":"unverified",{beside}}}}}}}"#),
        ] {
            assert!(claims(&body).contains(&FaultCode::OpenClaim), "{body}");
        }
    }
    let told = open_claims(
        &Reply {
            body: br#"{"gateStatuses":{"review-storage":{"status":"unstored","cleared":true}}}"#.to_vec(),
            ..Reply::default()
        },
        Reading::Statement,
    );
    assert!(told[0].message.ends_with("the gate `review-storage` has `cleared: true` next to `unstored`"), "{told:?}");
}

#[test]
fn what_is_asked_of_a_gate_or_said_of_the_digest_is_no_claim() {
    for beside in [
        r#""cleared":false"#,
        r#""missing":true"#,
        r#""required":"verified""#,
        r#""needs":"verified""#,
        r#""passedWhen":"verified""#,
        r#""possible":["unverified","verified"]"#,
        r#""description":"The publisher is verified by the host""#,
        r#""message":"must be verified""#,
        r#""enabled":true"#,
        r#""verifiedAt":null"#,
        r#""clearedBy":"host""#,
        r#""digestVerified":true"#,
        r#""owner":"host""#,
        r#""blocksStage":"signed-package""#,
    ] {
        for body in [
            format!(r#"{{"gates":{{"publisher-verification":{{"status":"unverified",{beside}}}}}}}"#),
            format!(r#"{{"gates":[{{"gate":"publisher-verification","status":"unverified",{beside}}}]}}"#),
        ] {
            assert_eq!(claims(&body), [], "{body}");
        }
    }
    for body in [
        r#"{"gates":[{"gate":"artifact-hash","status":"verified"}]}"#,
        r#"{"checks":[{"check":"digest","result":"verified"}]}"#,
        r#"{"artifact_hash":{"status":"verified"}}"#,
        r#"{"accepted":false,"nextGate":"publisher-verification","digestVerified":true,"valid":true}"#,
        r#"{"operation":"publisher-verification","valid":true}"#,
        r#"{"stages":[{"stage":"Signed package","reached":false}],"nextStage":"Signed package"}"#,
    ] {
        assert_eq!(claims(body), [], "{body}");
    }
}

#[test]
fn a_stage_that_nothing_outside_reaches_is_a_claim_under_any_name_of_a_stage() {
    for name in ["stage", "currentStage", "stageReached", "package_stage", "lifecycleStage"] {
        for stage in ["signed-package", "Signed package", "installed"] {
            assert!(claims(&format!(r#"{{"{name}":"{stage}"}}"#)).contains(&FaultCode::OpenClaim), "{name} {stage}");
        }
        assert_eq!(claims(&format!(r#"{{"{name}":"Review report"}}"#)), [], "{name}");
    }
    assert!(claims(r#"{"stage":"Signed package","accepted":false}"#).contains(&FaultCode::OpenClaim));
}
