//! A forger who re-seals the whole chain, in another language (`forge.py`), against the service and every reader: nobody
//! else's words stand in an answer, a record, a log line or a report, and naming other rules lifts no stage.

use std::{collections::BTreeMap, fs, path::Path, process::Command};

use serde_json::{Value, json};
use svc_core::words::kind::{self, ArtifactSpec};

use crate::{
    campaign::{self, Record, SEED},
    run::{Run, copy_folder, program, repository},
    running::{Running, connect, exchange, post_to},
};

/// What the forger would like to have said, and what tells a word of the author from any other.
const WORDS: [&str; 2] = ["approved", "zqmark"];

fn has_words(text: &str) -> bool {
    WORDS.iter().any(|word| text.contains(word))
}

pub(crate) const BASE_PATH: &str = "/api/sdk/registry";

/// A package, and where it really stands.
pub(crate) struct Honest {
    folder: tempfile::TempDir,
    /// The stage of the submission by itself, and as an entry, in the words of the answer.
    stages: [&'static str; 2],
    blockers: Vec<&'static str>,
}

impl Honest {
    /// The example with two blockers of its author: an unknown category, and no file for its default language.
    pub(crate) fn blocked() -> Self {
        let change = |manifest: &mut Value| {
            manifest["categories"] = json!(["nonsense"]);
            manifest["locales"] = json!({ "default": "fr", "dir": "locales" });
            manifest.as_object_mut().unwrap().remove("support");
        };
        let blockers = vec!["SVC-L008", "SVC-M022"];
        Self { folder: bundle(change), stages: ["review-report", "review-report"], blockers }
    }

    /// The example as it is.
    pub(crate) fn clean() -> Self {
        let stages = ["review-report", "collection-entry"];
        Self { folder: bundle(|_| {}), stages, blockers: Vec::new() }
    }
}

fn bundle(change: impl FnOnce(&mut Value)) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("package");
    copy_folder(&repository("examples/weather-board"), &package);
    let path = package.join("svc-app.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut manifest);
    fs::write(path, serde_json::to_vec_pretty(&manifest).unwrap()).unwrap();
    Run::of(&mut program(folder.path(), &["app", "preflight", "package", "--out-dir", "bundle"])).exits(0);
    folder
}

pub(crate) struct Forged {
    pub(crate) tries: String,
    pub(crate) files: BTreeMap<String, String>,
}

pub(crate) fn forge(honest: &Honest, count: usize) -> Vec<Forged> {
    let forger = repository("crates/svc-registry/tests/serve/forge.py");
    let mut python = Command::new("python3");
    python.arg(forger).arg(honest.folder.path().join("bundle")).arg(count.to_string()).arg(SEED.to_string());
    let lines = Run::of(&mut python).exits(0).stdout;
    let forged = lines.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        Forged {
            tries: line["tries"].as_str().unwrap().to_owned(),
            files: serde_json::from_value(line["files"].take()).unwrap(),
        }
    });
    forged.collect()
}

#[test]
fn no_resealed_chain_puts_its_words_or_its_stage_into_what_anybody_is_told() {
    let (mut counts, mut found) = (Counts::default(), Vec::new());
    let service_folder = tempfile::tempdir().unwrap();
    let journal = ["--journal", "sqlite", "--data-dir", "data"];
    let service = Running::start(service_folder.path(), &journal);
    for honest in [Honest::blocked(), Honest::clean()] {
        let forged = forge(&honest, campaign::count(30, 900));
        let results = campaign::in_parallel(&forged, |forged| ask(&service, &honest, forged));
        for (at, (forged, (told, wrong))) in forged.iter().zip(results).enumerate() {
            counts.add(&told);
            found.extend(wrong.into_iter().map(|what| format!("{}: {what}", forged.tries)));
            // The forger begins with each forgery by itself.
            if at < 18 || at % 15 == 0 {
                counts.read += 1;
                found.extend(read(&honest, forged).into_iter().map(|what| format!("{}: {what}", forged.tries)));
            }
        }
    }
    assert!(counts.denied > 0 && counts.refused > 0, "both were seen: {counts:?}");
    let log = service.log();
    found.extend(log.lines().filter(|line| has_words(line)).map(|line| format!("in the log: {line}")));
    service.terminate();
    assert!(service.ended().0.success());
    for file in fs::read_dir(service_folder.path().join("data")).unwrap() {
        let path = file.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        if has_words(&String::from_utf8_lossy(&bytes)) {
            found.push(format!("in {}", path.display()));
        }
        counts.kept += bytes.len();
    }
    assert!(counts.kept > 100 * counts.documents, "the answers are on record");
    Record {
        name: "resealed",
        tried: "A forger in Python changes a review report, its facts or the author's texts and seals the whole chain \
                again, under our rules and under unknown ones; every file is posted to its endpoint, and some bundles are \
                read by every command. No word of the document may come back but as the author's own, and no stage may \
                rise.",
        counts: counts.in_words(),
        found,
    }
    .close();
}

#[derive(Debug, Default)]
struct Counts {
    documents: usize,
    denied: usize,
    refused: usize,
    read: usize,
    kept: usize,
}

impl Counts {
    fn add(&mut self, statuses: &[u16]) {
        self.documents += statuses.len() + 1;
        self.denied += statuses.iter().filter(|status| **status == 200).count();
        self.refused += statuses.iter().filter(|status| **status == 422).count();
    }

    fn in_words(&self) -> Vec<(String, usize)> {
        let row = |what: &str, number| (what.to_owned(), number);
        vec![
            row("documents", self.documents),
            row("denied in our words", self.denied),
            row("refused", self.refused),
            row("bundles read by every command", self.read),
            row("bytes of the journal searched", self.kept),
        ]
    }
}

/// Posts every file of a bundle: the statuses, and what was told that must not be.
fn ask(service: &Running, honest: &Honest, forged: &Forged) -> (Vec<u16>, Vec<String>) {
    let (mut statuses, mut wrong) = (Vec::new(), Vec::new());
    let mut connection = connect(&service.address).unwrap();
    for (spec, path) in kind::ALL.iter().filter_map(|spec| Some((*spec, spec.endpoint?.path))) {
        let document = forged.files[spec.file].as_bytes();
        let request = post_to(&format!("{BASE_PATH}{path}"), "", document);
        let answer = exchange(&mut connection, &request).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        let body: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
        statuses.push(status);
        if has_words(&answer) {
            wrong.push(format!("{}: the forger's words: {body}", spec.name));
        }
        if !matches!(status, 200 | 422) || ["accepted", "signed", "installable"].iter().any(|flag| body[flag] != false)
        {
            wrong.push(format!("{}: status {status}: {body}", spec.name));
        }
        if status == 200 {
            wrong.extend(wrong_status(spec, honest, &body));
        }
    }
    (statuses, wrong)
}

/// An answer that gives a package more than it has, or less than our rules find.
fn wrong_status(spec: &ArtifactSpec, honest: &Honest, answer: &Value) -> Option<String> {
    let (package, stage) = match answer.get("entries") {
        Some(entries) => (&entries[0], honest.stages[1]),
        // Without a report there is no evidence of a review.
        None if !has_report(spec) => (answer, "showcase-preview"),
        None => (answer, honest.stages[0]),
    };
    let author = package["blockers"].as_array().unwrap().iter().filter(|blocker| blocker["owner"] == "author");
    let codes: Vec<&str> = author.map(|blocker| blocker["code"].as_str().unwrap()).collect();
    // What a fact tells counts against its author, so that a stage may fall.
    let told = package["stage"].as_str().unwrap();
    let stands = told == stage || (["review-report", "blueprint"].contains(&told) && !codes.is_empty());
    let listed = honest.blockers.iter().all(|code| codes.contains(code));
    (!stands || !listed).then(|| format!("{}: stage {told}, blockers {codes:?}", spec.name))
}

fn has_report(spec: &ArtifactSpec) -> bool {
    !["publisher-verification", "signing-request", "install-policy"].contains(&spec.name)
}

/// Reads a bundle with every command that shows one: what was shown that must not be.
fn read(honest: &Honest, forged: &Forged) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in &forged.files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let mut wrong = Vec::new();
    let mut show = |arguments: &[&str]| {
        let shown = Run::of(&mut program(folder.path(), arguments));
        let all = format!("{}{}", shown.stdout, shown.stderr);
        let holds = shown.code == Some(0);
        // Whoever inspects a package is shown the author's words, as the author's; whoever has a file that does not hold is
        // told the name of a member in it, as a quote.
        let quotes = !holds || ["inspect", "plan"].contains(&arguments.get(1).copied().unwrap_or_default());
        let word = |text: &str| text.contains(WORDS[0]) || (!quotes && text.contains(WORDS[1]));
        if word(&shown.stdout) || (holds && word(&all)) {
            wrong.push(format!("{arguments:?} shows the forger's words:\n{all}"));
        }
        if !honest.blockers.is_empty() && holds && lifted(&shown.stdout) {
            wrong.push(format!("{arguments:?} lifts the stage:\n{all}"));
        }
    };
    show(&["app", "verify", "."]);
    show(&["app", "plan", "svc-registry-submission.json"]);
    show(&["lifecycle", "svc-registry-submission.json"]);
    show(&["lifecycle", "svc-registry-index.json"]);
    for spec in kind::ALL {
        show(&["app", "inspect", spec.file]);
        show(&["app", "validate", spec.file]);
        show(&["app", "validate", "--format", "json", spec.file]);
    }
    wrong
}

fn lifted(shown: &str) -> bool {
    let stages = shown.lines().filter(|line| line.starts_with("Stage ") || line.starts_with("Review "));
    stages.into_iter().any(|line| line.contains("Collection entry  ") || line.contains("validated"))
}

/// Without this the test above would pass on a forger that forges nothing.
#[test]
fn a_chain_that_the_forger_only_seals_again_is_the_same_to_the_byte() {
    let honest = Honest::blocked();
    let bundle = honest.folder.path().join("bundle");
    let script = "import sys, json; from pathlib import Path; sys.argv = ['', '.', '0', '0']; import forge; \
                  good = {n: json.loads((Path(sys.path[1]) / f'svc-registry-{n}.json').read_text()) for n in forge.NAMES}; \
                  forge.coherent(good['submission']); forge.chain(good); print(json.dumps(good))";
    let mut python = Command::new("python3");
    let search = format!("{}:{}", repository("crates/svc-registry/tests/serve").display(), bundle.display());
    python.args(["-B", "-c", &script.replace("sys.path[1]", &format!("{:?}", bundle.display().to_string()))]);
    let sealed = Run::of(python.env("PYTHONPATH", search)).exits(0).stdout;
    let sealed: Value = serde_json::from_str(&sealed).unwrap();
    for spec in kind::ALL {
        assert_eq!(sealed[spec.name], parsed(&bundle.join(spec.file)), "{}", spec.name);
    }
}

fn parsed(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}
