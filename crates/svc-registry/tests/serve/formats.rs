//! Every command × every format: what is printed is of that format, or the format is refused with exit code 2.

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use crate::run::{Run, SVC, SVC_REGISTRY, binary, program, repository};

const FORMATS: [&str; 6] = ["human", "concise", "json", "sarif", "junit", "github"];

/// Every command with arguments that it can be run with here, and formats that it has beside `human`.
const REPORT: &str = "concise json sarif junit github";
const ROWS: &[(&str, &str)] = &[
    ("app init new --dry-run", ""),
    ("app check app", REPORT),
    ("app preflight app", REPORT),
    ("app validate app", REPORT),
    ("app validate app --fix --dry-run", ""),
    ("app verify svc-registry", REPORT),
    ("app files app", "json"),
    ("app inspect svc-registry", "json"),
    ("app plan svc-registry", "json"),
    ("app diff svc-registry svc-registry", REPORT),
    ("app report svc-registry --out page.html", REPORT),
    ("app export svc-registry --as cyclonedx --out sbom.json", ""),
    ("app publisher app", ""),
    ("app submit svc-registry --registry http://127.0.0.1:1", "json"),
    ("app pack app --out s.json", REPORT),
    ("app registry svc-registry --out i.json", REPORT),
    ("app registry-validate svc-registry", REPORT),
    ("app registry-acceptance svc-registry --out a.json", REPORT),
    ("app registry-acceptance-validate svc-registry", REPORT),
    ("app registry-publisher-verification svc-registry --out p.json", REPORT),
    ("app registry-publisher-verification-validate svc-registry", REPORT),
    ("app registry-review-evidence svc-registry --out r.json", REPORT),
    ("app registry-review-evidence-validate svc-registry", REPORT),
    ("app registry-signing-request svc-registry --out g.json", REPORT),
    ("app registry-signing-request-validate svc-registry", REPORT),
    ("app registry-install-policy svc-registry --out o.json", REPORT),
    ("app registry-install-policy-validate svc-registry", REPORT),
    ("serve --print-config", ""),
    ("serve --check-config --bind 127.0.0.1:0 --journal off", ""),
    ("token create NAME --file tokens.json", ""),
    ("token list --file tokens.json", "json"),
    ("token revoke FIRST --file tokens.json", ""),
    ("verify local", "concise json junit github"),
    ("verify hosted http://127.0.0.1:1 --artifact-dir svc-registry", "concise json junit github"),
    ("journal list --journal sqlite --data-dir data", "json-lines"),
    ("journal show 0 --journal sqlite --data-dir data", ""),
    ("journal verify --journal sqlite --data-dir data", "json"),
    ("log watch http://127.0.0.1:1 --state watched --once", "json-lines"),
    ("log check-evidence none --public-key data/journal.pub", "json"),
    ("log verify exported --public-key data/journal.pub", "json"),
    ("log mirror http://127.0.0.1:1 mirrored", "json"),
    ("journal replay svc-registry --journal sqlite --data-dir data", "json"),
    ("journal prove 0 --journal sqlite --data-dir data", ""),
    ("log check-receipt none.json --public-key data/journal.pub", "json"),
    ("journal export exported --journal sqlite --data-dir data", ""),
    ("journal import exported --journal sqlite --data-dir other", ""),
    ("journal forget --before 2000-01-01 --dry-run --journal sqlite --data-dir data", ""),
    ("journal prune --before 2000-01-01 --journal sqlite --data-dir data", ""),
    ("journal init --journal sqlite --data-dir data", ""),
    ("journal announce-key --journal sqlite --data-dir data", ""),
    ("journal rotate-key --journal sqlite --data-dir data", ""),
    ("events add e https://receiver.example/ --journal sqlite --data-dir data", "json"),
    ("events list --journal sqlite --data-dir data", "json-lines"),
    ("events status e --journal sqlite --data-dir data", "json"),
    ("events test e --journal sqlite --data-dir data", "json"),
    ("events pause e --journal sqlite --data-dir data", "json"),
    ("events resume e --journal sqlite --data-dir data", "json"),
    ("events skip e --journal sqlite --data-dir data", "json"),
    ("events rotate-secret e --journal sqlite --data-dir data", "json"),
    ("events remove e --journal sqlite --data-dir data", "json"),
    ("witness init --state witness --name witness.example", ""),
    ("witness serve --state nowhere --logs logs.json", ""),
    ("lifecycle svc-registry", "json"),
    ("lifecycle", "json"),
    ("explain", "json"),
    ("explain outcome", "json"),
    ("contract limits", "json"),
    ("schema submission", "json"),
    ("completions bash", ""),
    ("man", ""),
];

#[test]
fn the_rows_are_every_command() {
    let listed = |name: &str, words: &[&str]| -> Vec<String> {
        let help = Run::of(Command::new(binary(name)).args(words).arg("--help")).exits(0).stdout;
        // The help of a program has its commands in groups, that of a command in one list.
        let is_listed = words.is_empty() || help.contains("Commands:\n");
        let list = help.split("Options:\n").next().filter(|_| is_listed).unwrap_or_default();
        let lines = list.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
        let names = lines.filter_map(|line| line.split(' ').next());
        names.filter(|name| !name.is_empty() && *name != "help").map(str::to_owned).collect()
    };
    let of_app = listed(SVC, &["app"]);
    let mut found = BTreeSet::new();
    for program in [SVC, SVC_REGISTRY] {
        // What `svc app` has too is the same command under a shorter name.
        let is_short = |name: &String| program == SVC && name != "verify" && of_app.contains(name);
        for name in listed(program, &[]).into_iter().filter(|name| !is_short(name)) {
            let below = listed(program, &[&name]);
            found.extend(below.iter().map(|below| format!("{name} {below}")));
            if below.is_empty() {
                found.insert(name);
            }
        }
    }
    let rows: BTreeSet<String> = ROWS
        .iter()
        .map(|(row, _)| {
            let words: Vec<&str> = row.split(' ').collect();
            let has_below = found.iter().any(|name| name.starts_with(&format!("{} ", words[0])));
            words[..if has_below { 2 } else { 1 }].join(" ")
        })
        .collect();
    assert_eq!(rows, found);
}

#[test]
fn a_command_prints_a_format_or_refuses_it() {
    let folder = tempfile::tempdir().unwrap();
    crate::run::copy_folder(&repository("examples/weather-board"), &folder.path().join("app"));
    let prepare: [&[&str]; 3] = [
        &["preflight", "app"],
        &["token", "create", "first", "--file", "tokens.json"],
        &["journal", "init", "--journal", "sqlite", "--data-dir", "data"],
    ];
    for arguments in prepare {
        Run::of(&mut program(folder.path(), arguments)).exits(0);
    }
    let mut wrong = Vec::new();
    for (row, has) in ROWS {
        for format in FORMATS {
            let row = row.replace("NAME", &format!("token-{format}")).replace("FIRST", "first");
            let words: Vec<&str> = row.split(' ').chain(["--format", format]).collect();
            let run = Run::of(&mut program(folder.path(), &words));
            let has = |word: &str| has.split(' ').any(|other| other == word);
            // JUnit writes quotes and angle brackets as entities.
            let said = format!("{}{}", run.stdout, run.stderr).replace("&apos;", "'").replace("&lt;", "<");
            let refusals = ["has no format", "unexpected argument '--format'", "for '--format <FORMAT"];
            let is_refused = run.code == Some(2) && refusals.iter().any(|refusal| said.contains(refusal));
            let is_right = match format {
                // What prints one form alone takes no `--format`.
                "human" => !is_refused || has(""),
                "json" if has("json-lines") => !is_refused && run.stdout.lines().all(is_json_or_layout(&run.stdout)),
                "json" if has("json") => !is_refused && is_json(&run.stdout),
                "sarif" if has("sarif") => is_json(&run.stdout) && run.stdout.contains("\"version\": \"2.1.0\""),
                "junit" if has("junit") => run.stdout.starts_with("<?xml"),
                other if has(other) => !is_refused,
                _ => is_refused,
            };
            if !is_right {
                wrong.push(format!("{row} as {format}: {:?}\n{}{}", run.code, cut(&run.stdout), cut(&run.stderr)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let revoked = fs::read_to_string(folder.path().join("tokens.json")).unwrap();
    assert!(!revoked.contains("token-json"), "a refused command made a token");
    assert!(!Path::new(&folder.path().join("svc-export-oci")).exists());
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(text).is_ok()
}

/// One document a line, or one document as a whole.
fn is_json_or_layout(whole: &str) -> impl Fn(&str) -> bool {
    let is_whole = is_json(whole);
    move |line| is_whole || is_json(line)
}

fn cut(text: &str) -> String {
    text.chars().take(300).collect()
}
