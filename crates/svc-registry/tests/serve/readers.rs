//! Whoever reads a document says the same of it: the registry, the command line and `journal replay`, on bundles that the
//! forger re-sealed. The SDK is held against core by `sdk/typescript/scripts/differential.mjs`.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::Value;
use svc_core::words::kind::{self, ArtifactSpec};

use crate::{
    campaign::{self, Record},
    resealed::{BASE_PATH, Forged, Honest, forge},
    run::{Run, program},
    running::{Running, connect, exchange, post_to},
};

/// What a reader says of a document: the stage and blockers of each package, or the rules that it breaks.
#[derive(Debug, PartialEq)]
enum Said {
    Stands(Vec<(Value, Value, Value)>),
    Refused(BTreeSet<String>),
}

impl Said {
    fn of_packages<'v>(packages: impl IntoIterator<Item = &'v Value>) -> Self {
        let standing =
            |package: &Value| (package["stage"].clone(), package["blockers"].clone(), package["reviewed"].clone());
        Self::Stands(packages.into_iter().map(standing).collect())
    }

    fn of_findings(findings: &Value, member: &str) -> Self {
        let findings = findings.as_array().unwrap().iter();
        Self::Refused(findings.map(|finding| finding[member].as_str().unwrap().to_owned()).collect())
    }
}

#[test]
fn the_registry_the_command_line_and_the_replay_agree_on_every_resealed_document() {
    let service_folder = tempfile::tempdir().unwrap();
    let journal = ["--journal", "sqlite", "--data-dir", "data"];
    let service = Running::start(service_folder.path(), &journal);
    let documents = tempfile::tempdir().unwrap();
    let (mut stands, mut refused, mut found, mut files) = (0, 0, Vec::new(), Vec::new());
    for (number, honest) in [Honest::blocked(), Honest::clean()].iter().enumerate() {
        let forged = forge(honest, campaign::count(12, 1700));
        let places: Vec<(String, &Forged)> =
            forged.iter().enumerate().map(|(at, forged)| (format!("{number}-{at}"), forged)).collect();
        let results =
            campaign::in_parallel(&places, |(name, forged)| read_all(&service, documents.path(), name, forged));
        for ((_, forged), rows) in places.iter().zip(results) {
            for Row { file, registry, command_line, spec } in rows {
                if registry != command_line {
                    let what = format!("{} {}: {registry:?} and {command_line:?}", forged.tries, spec.name);
                    found.push(what);
                }
                let counted = if matches!(registry, Said::Stands(_)) { &mut stands } else { &mut refused };
                *counted += 1;
                files.push(file);
            }
        }
    }
    service.terminate();
    assert!(service.ended().0.success());
    let mut replayed = 0;
    for some in files.chunks(500) {
        let mut arguments = vec!["journal", "replay", "--data-dir", "data", "--journal", "sqlite", "--format", "json"];
        arguments.extend(some.iter().map(String::as_str));
        let run = Run::of(&mut program(service_folder.path(), &arguments));
        if run.code != Some(0) {
            found.push(format!("replay: {}{}", run.stdout, run.stderr));
            continue;
        }
        for row in serde_json::from_str::<Value>(&run.stdout).unwrap()["files"].as_array().unwrap() {
            replayed += usize::from(!row["equal"].as_array().unwrap().is_empty());
        }
    }
    assert_eq!(replayed, files.len(), "every answer is on record and comes out the same again");
    assert!(stands > 0 && refused > 0, "both were seen: {stands} and {refused}");
    let row = |what: &str, number: usize| (what.to_owned(), number);
    Record {
        name: "readers",
        tried: "Bundles that a forger in Python changed and sealed again, under our rules and under unknown ones: the \
                registry, `svc app inspect` and `svc-registry journal replay` must say the same of every document: stage, \
                blockers, what the rules saw, or the rules that it breaks.",
        counts: vec![
            row("documents", files.len()),
            row("that stand", stands),
            row("refused", refused),
            row("replayed from the journal", replayed),
        ],
        found,
    }
    .close();
}

struct Row {
    file: String,
    registry: Said,
    command_line: Said,
    spec: &'static ArtifactSpec,
}

fn read_all(service: &Running, folder: &Path, name: &str, forged: &Forged) -> Vec<Row> {
    let endpoints = kind::ALL.iter().filter_map(|spec| Some((*spec, spec.endpoint?.path)));
    let rows = endpoints.map(|(spec, path)| {
        let document = forged.files[spec.file].as_bytes();
        let request = post_to(&format!("{BASE_PATH}{path}"), "", document);
        // The service closes a connection that waits for the commands of a busy machine.
        let answer = exchange(&mut connect(&service.address).unwrap(), &request).unwrap();
        let body: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
        let registry = match body.get("entries").and_then(Value::as_array) {
            _ if body.get("errors").is_some() => Said::of_findings(&body["errors"], "rule"),
            Some(entries) => Said::of_packages(entries),
            None => Said::of_packages([&body]),
        };
        let file = folder.join(format!("{name}-{}.json", spec.name)).display().to_string();
        fs::write(&file, document).unwrap();
        let shown = Run::of(&mut program(folder, &["app", "inspect", &file, "--format", "json"]));
        let shown_body: Value = serde_json::from_str(&shown.stdout).unwrap();
        let command_line = match shown.code {
            Some(0) => Said::of_packages(shown_body["packages"].as_array().unwrap()),
            _ => Said::of_findings(&shown_body["findings"], "code"),
        };
        Row { file, registry, command_line, spec }
    });
    rows.collect()
}
