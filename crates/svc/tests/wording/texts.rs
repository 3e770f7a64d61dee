//! Every committed text that people may read.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::literals;

/// A text and where it stands.
pub(crate) struct Text {
    /// A file of the repository, or a command line.
    pub(crate) place: String,
    /// The text, with its blanks and line breaks made single blanks.
    pub(crate) text: String,
}

impl Text {
    pub(crate) fn new(place: impl Into<String>, text: &str) -> Self {
        // Man pages escape their hyphens.
        let text = text.replace("\\-", "-");
        Self { place: place.into(), text: text.split_whitespace().collect::<Vec<_>>().join(" ") }
    }
}

/// All texts of the repository.
pub(crate) fn committed(root: &Path) -> Vec<Text> {
    let mut texts = Vec::new();
    for path in files(root) {
        let content = fs::read_to_string(root.join(&path)).unwrap();
        let place = path.to_str().unwrap();
        match path.extension().and_then(|end| end.to_str()).unwrap_or_default() {
            "json" if !path.starts_with("crates/svc/templates") => {
                let value: Value = serde_json::from_str(&content).unwrap_or_else(|error| panic!("{place}: {error}"));
                strings(&value, &mut |text| texts.push(Text::new(place, text)));
            }
            "rs" => texts.extend(literals::find_literals(&content).iter().map(|literal| Text::new(place, literal))),
            _ => texts.push(Text::new(place, &content)),
        }
    }
    texts
}

/// The files that hold them.
pub(crate) fn files(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    collect(root, Path::new(""), &mut files);
    files.sort();
    files
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(root.join(folder)).unwrap() {
        let entry = entry.unwrap();
        let path = folder.join(entry.file_name());
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() {
            if !name.starts_with('.') && !matches!(name.as_str(), "node_modules" | "target" | "tests") {
                collect(root, &path, files);
            }
        } else if is_read_by_people(&path) {
            files.push(path);
        }
    }
}

/// All but what is no text, what only machines read, tests, and documents that are wrong on purpose.
fn is_read_by_people(path: &Path) -> bool {
    let text = path.to_str().unwrap();
    let end = path.extension().and_then(|end| end.to_str()).unwrap_or_default();
    let in_folder = |folder: &str| text.starts_with(folder);
    if end == "md" || in_folder("crates/svc/templates/") {
        return end != "png";
    }
    // What only developers of svc run says nothing of a package.
    if ["crates/testkit/", "crates/gates/", "crates/xtask/", "scripts/"].iter().any(|folder| in_folder(folder)) {
        return text.ends_with("/Cargo.toml");
    }
    if in_folder("crates/") {
        return (end == "rs" && text.contains("/src/") && !text.ends_with("tests.rs")) || text.ends_with("/Cargo.toml");
    }
    if in_folder("sdk/") {
        // What is generated comes from contracts/, which are read anyway.
        return (text.contains("/src/") && !text.contains("/generated/")) || text.ends_with("/package.json");
    }
    // Its own sources are read, and those of the SDK that it is built with.
    if text == "web/bundle/console.js" {
        return false;
    }
    let at_root = !text.contains('/');
    let is_lock = end == "lock" || text.ends_with("/package-lock.json");
    !at_root && !in_folder("conformance/") && end != "png" && !is_lock
}

/// Every string of a JSON document, names of members too.
fn strings(value: &Value, take: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => take(text),
        Value::Array(items) => items.iter().for_each(|item| strings(item, take)),
        Value::Object(members) => members.iter().for_each(|(name, member)| {
            take(name);
            strings(member, take);
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
