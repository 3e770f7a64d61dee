//! The campaign over real packages: well-known front-end packages, pinned by version, each put into a package that asks
//! for nothing, and reviewed as an author would.
//!
//! What must not be: an error, a file of the large ones that is unread, or a blocker that nobody has judged by hand.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Output,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use svc_gates::{
    process::{command, root, run, target},
    programs::Program,
};

/// What is fetched, as npm reads it.
const PINNED: &str = include_str!("real-packages.json");

/// Every blocker that was looked at by hand: whether the code does what it says.
const JUDGED: &str = "tests/review/real-packages.json";

const PAGE: &str = "docs/real-packages.md";

/// Packages that must be read to the last byte.
const WHOLE: &[&str] =
    &["@excalidraw/excalidraw", "mermaid", "monaco-editor", "pdfjs-dist", "swagger-ui-dist", "three", "vue"];

/// Extensions of what is code.
const CODE: &[&str] = &["cjs", "css", "htm", "html", "js", "jsx", "mjs", "svg", "ts", "tsx", "wasm"];

/// One package, reviewed.
struct Review {
    name: String,
    version: String,
    files: usize,
    code_bytes: u64,
    findings: Vec<Value>,
    took: Duration,
}

/// Fetches, reviews and judges; gives the record.
pub(crate) fn campaign() -> Result<Value> {
    run(Program::Svc.build_release())?;
    let folder = target().join("xtask/real-packages");
    fetch(&folder)?;
    let pinned: Value = serde_json::from_str(PINNED)?;
    let versions = pinned.get("dependencies").and_then(Value::as_object).context("no packages are named")?;
    let mut reviews = Vec::new();
    for (name, version) in versions {
        let version = version.as_str().unwrap_or_default().to_owned();
        reviews.push(review(&folder, name, version).with_context(|| format!("reviewing {name}"))?);
    }
    let judged: BTreeMap<String, bool> = serde_json::from_str(&fs::read_to_string(root().join(JUDGED))?)?;
    let found = faults(&reviews, &judged);
    fs::write(root().join(PAGE), page(&reviews, &judged))?;
    Ok(record(&reviews, &judged, &found))
}

fn fetch(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join("package.json"), PINNED)?;
    let mut install = command("npm", &["install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]);
    install.current_dir(folder);
    run(install).context("npm, which comes with Node 20 or later, fetches the packages")
}

/// Reviews one package inside of a small one.
fn review(folder: &Path, name: &str, version: String) -> Result<Review> {
    let package = folder.join("package");
    let _ = fs::remove_dir_all(&package);
    fs::create_dir_all(package.join("dist"))?;
    let example = root().join("examples/weather-board");
    for part in ["README.md", "LICENSE", "assets", "locales"] {
        copy(&example.join(part), &package.join(part))?;
    }
    fs::write(package.join("dist/index.html"), "<!doctype html><title>Weather Board</title>")?;
    copy(&folder.join("node_modules").join(name), &package.join("vendor"))?;
    fs::write(package.join("svc-app.json"), manifest(&example)?)?;
    let started = Instant::now();
    let output = validate(&package)?;
    let took = started.elapsed();
    let report: Value = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("no report: {}", String::from_utf8_lossy(&output.stderr)))?;
    let findings = report.get("findings").and_then(Value::as_array).context("a report without findings")?.clone();
    let (mut files, mut code_bytes) = (0, 0);
    measure(&package.join("vendor"), &mut files, &mut code_bytes)?;
    Ok(Review { name: name.to_owned(), version, files, code_bytes, findings, took })
}

fn validate(package: &Path) -> Result<Output> {
    let svc = target().join("release").join(Program::Svc.file());
    let mut validate = command(svc.to_str().context("a path in UTF-8")?, &["app", "validate", "svc-app.json"]);
    Ok(validate.args(["--format", "json"]).current_dir(package).output()?)
}

/// The example's manifest, asking for nothing.
fn manifest(example: &Path) -> Result<Vec<u8>> {
    let mut manifest: Value = serde_json::from_slice(&fs::read(example.join("svc-app.json"))?)?;
    let members = manifest.as_object_mut().context("no object")?;
    members.insert("permissions".to_owned(), json!([]));
    members.insert("network".to_owned(), json!({ "allow": [] }));
    members.insert("dataCollection".to_owned(), json!(["none"]));
    members
        .insert("files".to_owned(), json!(["README.md", "LICENSE", "assets/**", "dist/**", "locales/**", "vendor/**"]));
    if let Some(entry) = members.get_mut("entry").and_then(Value::as_object_mut) {
        entry.insert("csp".to_owned(), json!({ "default-src": ["'self'"] }));
    }
    Ok(serde_json::to_vec_pretty(&manifest)?)
}

/// Copies files and folders. What a package depends on is another package.
fn copy(from: &Path, to: &Path) -> Result<()> {
    if !from.is_dir() {
        fs::copy(from, to)?;
        return Ok(());
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_name() != "node_modules" && !entry.file_type()?.is_symlink() {
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

fn measure(folder: &Path, files: &mut usize, code_bytes: &mut u64) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path: PathBuf = entry?.path();
        if path.is_dir() {
            measure(&path, files, code_bytes)?;
            continue;
        }
        *files += 1;
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let is_typing = path.to_string_lossy().ends_with(".d.ts");
        if CODE.contains(&extension) && !is_typing {
            *code_bytes += path.metadata()?.len();
        }
    }
    Ok(())
}

impl Review {
    fn of<'r>(&'r self, severity: &'r str) -> impl Iterator<Item = &'r Value> {
        self.findings.iter().filter(move |finding| text(finding, "severity") == severity)
    }

    /// What was not read to its end.
    fn unread(&self) -> impl Iterator<Item = &Value> {
        self.findings.iter().filter(|finding| text(finding, "code") == "SVC-F020")
    }

    /// The name of a finding that stays when files move: the package, the rule, what it is about and the file.
    fn key(&self, finding: &Value) -> String {
        let (code, file) = (text(finding, "code"), text(finding, "file"));
        format!("{} {code} {} {file}", self.name, text(finding, "message").split(',').next().unwrap_or_default())
    }
}

fn text<'v>(value: &'v Value, member: &str) -> &'v str {
    value.get(member).and_then(Value::as_str).unwrap_or_default()
}

/// What must not be.
fn faults(reviews: &[Review], judged: &BTreeMap<String, bool>) -> Vec<String> {
    let mut faults = Vec::new();
    for review in reviews {
        faults.extend(review.of("error").map(|finding| format!("an error: {}", review.key(finding))));
        if WHOLE.contains(&review.name.as_str()) {
            faults.extend(review.unread().map(|finding| format!("unread: {}", review.key(finding))));
        }
        let blockers = review.of("blocker").map(|finding| review.key(finding));
        faults.extend(blockers.filter(|key| !judged.contains_key(key)).map(|key| format!("not judged: {key}")));
    }
    faults
}

fn record(reviews: &[Review], judged: &BTreeMap<String, bool>, found: &[String]) -> Value {
    let sum = |of: &dyn Fn(&Review) -> usize| reviews.iter().map(of).sum::<usize>();
    let megabytes = usize::try_from(reviews.iter().map(|review| review.code_bytes).sum::<u64>() / 1_000_000);
    let seconds = reviews.iter().map(|review| review.took).sum::<Duration>().as_secs();
    let is = |answer: bool| {
        move |review: &Review| {
            review.of("blocker").filter(|finding| judged.get(&review.key(finding)) == Some(&answer)).count()
        }
    };
    json!({
        "counts": [
            ["packages", reviews.len()],
            ["files", sum(&|review| review.files)],
            ["megabytes of code", megabytes.unwrap_or_default()],
            ["seconds", seconds],
            ["findings of unread files", sum(&|review| review.unread().count())],
            ["blockers that are true", sum(&is(true))],
            ["blockers that are false", sum(&is(false))],
        ],
        "found": found,
        "seed": "none",
        "tried": "Well-known front-end packages, pinned by version, each inside a package that asks for nothing: no error, no unread file of the seven largest, and every blocker judged by hand.",
    })
}

/// The results, a row a package.
fn page(reviews: &[Review], judged: &BTreeMap<String, bool>) -> String {
    let mut page = "# Real packages\n\nWhat `svc app validate` says of well-known packages, each inside a package that asks for no permission and no origin.\n\
        `cargo xtask campaign real-packages` fetches them by version, writes this page and fails on an error, on a blocker that\n\
        nobody has judged, and on an unread file of those that must be read to the last byte. Times are of one noisy machine.\n\n\
        | package | files | code, MB | seconds | blockers | warnings | notes | unread |\n|---|---|---|---|---|---|---|---|\n"
        .to_owned();
    for review in reviews {
        let count = |severity| review.of(severity).count();
        let _ = writeln!(
            page,
            "| {} {} | {} | {:.1} | {:.1} | {} | {} | {} | {} |",
            review.name,
            review.version,
            review.files,
            review.code_bytes as f64 / 1e6,
            review.took.as_secs_f64(),
            count("blocker"),
            count("warning"),
            count("note"),
            review.unread().count(),
        );
    }
    page.push_str(
        "\n## Blockers, judged by hand\n\n| package | rule | finding | file | true |\n|---|---|---|---|---|\n",
    );
    for review in reviews {
        for finding in review.of("blocker") {
            let answer = match judged.get(&review.key(finding)) {
                Some(true) => "yes",
                Some(false) => "no",
                None => "not judged",
            };
            let (code, message, file) = (text(finding, "code"), text(finding, "message"), text(finding, "file"));
            let _ = writeln!(page, "| {} | {code} | {} | `{file}` | {answer} |", review.name, cell(message));
        }
    }
    page.push_str("\n## Unread\n\n| package | finding | file |\n|---|---|---|\n");
    for review in reviews {
        for finding in review.unread() {
            let _ = writeln!(
                page,
                "| {} | {} | `{}` |",
                review.name,
                cell(text(finding, "message")),
                text(finding, "file")
            );
        }
    }
    page
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
