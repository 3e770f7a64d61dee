//! The published test vectors of RFC 6962 trees, read from wherever `SVC_RFC6962_VECTORS` points. They are not part of
//! this project.

use data_encoding::BASE64;
use serde_json::Value;
use svc_proof::{receipt, tree::Hash};

#[test]
#[ignore = "needs the folder that SVC_RFC6962_VECTORS names"]
fn the_published_vectors_are_judged_as_they_should_be() {
    let folder = std::env::var("SVC_RFC6962_VECTORS").expect("the folder of the published vectors");
    let read = |name: &str| -> Vec<Value> {
        let text = std::fs::read(format!("{folder}/{name}")).unwrap();
        let file: Value = serde_json::from_slice(&text).unwrap();
        file["cases"].as_array().unwrap().clone()
    };
    let (mut judged, mut refused) = (0, 0);
    for case in read("rfc6962-inclusion.json") {
        let size = case["treeSize"].as_u64().unwrap();
        let place = case["leafIdx"].as_u64().unwrap();
        let verdict = hash(&case["root"]).zip(hash(&case["leafHash"])).zip(hashes(&case["proof"]));
        let holds = verdict.is_some_and(|((root, leaf), proof)| receipt::is_path(&proof, size, &root, place, leaf));
        assert_eq!(holds, !case["wantErr"].as_bool().unwrap(), "{}", case["name"]);
        judged += 1;
        refused += usize::from(!holds);
    }
    for case in read("rfc6962-consistency.json") {
        let (one, two) = (case["size1"].as_u64().unwrap(), case["size2"].as_u64().unwrap());
        let verdict = hash(&case["root1"]).zip(hash(&case["root2"])).zip(hashes(&case["proof"]));
        let holds =
            verdict.is_some_and(|((early, late), proof)| receipt::is_growth(&proof, (one, &early), (two, &late)));
        assert_eq!(holds, !case["wantErr"].as_bool().unwrap(), "{}", case["name"]);
        judged += 1;
        refused += usize::from(!holds);
    }
    println!("{judged} cases, {refused} refused");
    assert!(judged >= 96 && refused >= 80, "{judged} cases, {refused} refused: these are not the published files");
}

fn hash(value: &Value) -> Option<Hash> {
    let bytes = BASE64.decode(value.as_str()?.as_bytes()).ok()?;
    bytes.try_into().ok().map(Hash)
}

fn hashes(value: &Value) -> Option<Vec<Hash>> {
    if value.is_null() { Some(Vec::new()) } else { value.as_array()?.iter().map(hash).collect() }
}
