//! The policies of the conformance kit, which the SDK runs as well.

use std::{fs, path::Path};

use serde_json::Value;
use svc_proof::{cosignature::TimeWindow, policy::Policy, public_key::PublicKeys};

#[test]
fn every_policy_of_the_kit_holds_or_is_refused_with_its_reason_and_line() {
    let kit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/policies");
    let mut count = 0;
    for case in fs::read_dir(kit).unwrap() {
        let (case, read) = (case.unwrap().path(), |path: &Path, name: &str| fs::read(path.join(name)).unwrap());
        let expect: Value = serde_json::from_slice(&read(&case, "expect.json")).unwrap();
        let keys = PublicKeys::parse(expect["publicKeys"][0].as_str().unwrap()).unwrap();
        let checkpoint = String::from_utf8(read(&case, "checkpoint")).unwrap();
        let (mut reason, mut line, mut cosigned) = (Value::Null, Value::Null, Value::Null);
        match Policy::parse(&read(&case, "policy")) {
            Err(error) => (reason, line) = (error.code.code().into(), error.line.into()),
            Ok(policy) => match policy.check(&checkpoint, &keys, TimeWindow::until(expect["now"].as_u64().unwrap())) {
                Err(refused) => reason = refused.code().into(),
                Ok(seen) => {
                    let by = seen.seen().cosigned.iter();
                    cosigned =
                        by.map(|by| serde_json::json!({ "name": by.name, "time": by.cosignature.time() })).collect();
                }
            },
        }
        let name = case.display();
        assert_eq!(expect["holds"].as_bool(), Some(reason.is_null()), "{name}");
        assert_eq!((&expect["reason"], &expect["line"], &expect["cosigned"]), (&reason, &line, &cosigned), "{name}");
        count += 1;
    }
    assert_eq!(count, 53);
}
