//! Paths in prose: a file or folder of the repository, from the root or by the end of its path.

use std::{collections::BTreeSet, fs, path::Path};

use crate::process::root;

/// Everything that a path may mean.
pub(super) struct Paths {
    /// Files, and folders with a slash behind them.
    all: BTreeSet<String>,
    /// The sources as one text: a file that users write is a literal in it.
    sources: String,
}

/// Endings by which a name without a folder is one of a file.
const ENDINGS: &[&str] = &["json", "md", "mjs", "py", "rs", "toml", "ts"];

impl Paths {
    pub(super) fn read() -> Self {
        let mut paths = Self { all: BTreeSet::new(), sources: String::new() };
        paths.collect(&root(), "");
        paths
    }

    fn collect(&mut self, root: &Path, folder: &str) {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let path = format!("{folder}{name}");
            if entry.file_type().unwrap().is_dir() {
                if !matches!(name.as_str(), ".git" | "node_modules" | "target" | "dist") {
                    self.collect(root, &format!("{path}/"));
                    self.all.insert(format!("{path}/"));
                }
            } else {
                if path.contains("/src/") && path.ends_with(".rs") {
                    self.sources += &fs::read_to_string(entry.path()).unwrap();
                }
                self.all.insert(path);
            }
        }
    }

    /// What is wrong with a text, if it has the form of a path and is none.
    pub(super) fn fault(&self, text: &str) -> Option<String> {
        if !has_form_of_a_path(text) || self.exists(text) || self.is_written_by_users(text) {
            return None;
        }
        Some("is no file or folder of the repository".to_owned())
    }

    fn exists(&self, text: &str) -> bool {
        let folder = format!("{}/", text.trim_end_matches('/'));
        self.all.iter().any(|path| ends_with(path, text) || ends_with(path, &folder))
    }

    fn is_written_by_users(&self, text: &str) -> bool {
        !text.contains('/') && self.sources.contains(&format!("\"{text}\""))
    }
}

/// No blanks or signs of a command, with a slash inside or with the ending of a file, and nothing that a build makes.
fn has_form_of_a_path(text: &str) -> bool {
    let plain = text.chars().all(|sign| sign.is_ascii_alphanumeric() || "._-/<>".contains(sign));
    let has_ending = || text.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && ENDINGS.contains(&end));
    let has_folder = || text.contains('/') && !text.starts_with('/') && !text.contains("//");
    plain && !text.starts_with("target/") && (has_folder() || has_ending())
}

/// Whether a path ends with these parts, where a part in angle brackets stands for any.
fn ends_with(path: &str, end: &str) -> bool {
    let is_folder = end.ends_with('/');
    if path.ends_with('/') != is_folder {
        return false;
    }
    let (path, end) = (path.trim_end_matches('/'), end.trim_end_matches('/'));
    let mut parts = path.rsplit('/');
    end.rsplit('/').all(|wanted| parts.next().is_some_and(|part| fits(part, wanted)))
}

fn fits(part: &str, wanted: &str) -> bool {
    match (wanted.split_once('<'), wanted.rsplit_once('>')) {
        (Some((before, _)), Some((_, after))) => part.starts_with(before) && part.ends_with(after),
        _ => part == wanted,
    }
}

#[test]
fn a_path_that_leads_nowhere_is_seen() {
    let all = ["crates/", "crates/core/", "crates/core/src/", "crates/core/src/gate.rs"].map(str::to_owned);
    let paths = Paths { all: all.into(), sources: "const A: &str = \"svc-app.json\";".to_owned() };
    for wrong in
        ["crates/core/src/door.rs", "door.rs", "crates/door", "crates/core/gate.rs", "crates/<crate>/door.rs", "a.json"]
    {
        assert!(paths.fault(wrong).is_some(), "{wrong}");
    }
    for right in [
        "crates/core/src/gate.rs",
        "gate.rs",
        "src/gate.rs",
        "crates/<crate>/src/<file>.rs",
        "core/src/",
        "crates/core",
    ] {
        assert_eq!(paths.fault(right), None, "{right}");
    }
    for other in ["svc-app.json", "/api/sdk/registry", "POST /x", "a.b", "1.2", "https://acme.dev/x"] {
        assert_eq!(paths.fault(other), None, "{other}");
    }
}
