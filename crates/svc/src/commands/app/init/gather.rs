//! What the rows take out of foreign manifests, and what they leave there.

use std::collections::{BTreeMap, BTreeSet};

use svc_cli::{failure::Failure, output::escape::is_safe};
use svc_json::tree::Node;

use super::{
    project_folder::ProjectFolder,
    source::{Kind, SOURCE_BYTES, Source},
    table::{How, ROWS, Row, To},
    texts,
};

/// One value that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) value: String,
    /// What it shows, of a picture.
    pub(super) label: Option<String>,
    /// The foreign manifest.
    pub(super) file: String,
}

/// What was taken, and what was not.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    found: BTreeMap<To, Vec<Found>>,
    /// Values that have no place in our manifest: where they stand, and what they are. Not escaped.
    pub(super) left: Vec<(String, String)>,
}

impl Gathered {
    pub(super) fn all(&self, to: To) -> &[Found] {
        self.found.get(&to).map(Vec::as_slice).unwrap_or_default()
    }

    pub(super) fn first(&self, to: To) -> Option<&Found> {
        self.all(to).first()
    }

    pub(super) fn text(&self, to: To) -> Option<String> {
        self.first(to).map(|found| found.value.clone())
    }

    fn add(&mut self, to: To, found: Found) {
        let list = self.found.entry(to).or_default();
        if list.iter().all(|there| there.value != found.value) {
            list.push(found);
        }
    }
}

/// Takes what the rows take, the most specific manifest first.
pub(super) fn gather(project: &ProjectFolder<'_>, sources: &[Source]) -> Result<Gathered, Failure> {
    let mut gathered = Gathered::default();
    for source in sources {
        let document = source.document()?;
        let mut took: BTreeSet<(&str, String)> = BTreeSet::new();
        let mut refused: Vec<(&Row, String)> = Vec::new();
        for row in ROWS.iter().filter(|row| row.kind == source.kind) {
            let Some(node) = document.root.at_text(row.from) else { continue };
            for (given, label) in given(row.how, node) {
                let text = message(project, source, &document.root, &given);
                let value = Some(text)
                    .filter(|text| is_safe(text) && !texts::is_unfilled(text))
                    .and_then(|text| taken(row.how, source, &text));
                match value {
                    Some(value) => {
                        took.insert((row.from, given));
                        gathered.add(row.to, Found { value, label, file: source.path.clone() });
                    }
                    None if given.trim().is_empty() => {}
                    None => refused.push((row, given)),
                }
            }
        }
        let is_left = |(row, text): &(&Row, String)| {
            let is_taken = took.contains(&(row.from, text.clone()));
            match row.how {
                How::Text(_) => !is_taken && row.to != To::Slug && gathered.first(row.to).is_none(),
                How::Each(_) | How::Pictures => !is_taken,
                // An npm package has no page as a rule; that there is none is told in the end.
                How::Path => false,
            }
        };
        let left: BTreeSet<(String, String)> =
            refused.into_iter().filter(is_left).map(|(row, text)| (place(source, row), text)).collect();
        gathered.left.extend(left);
        gathered.left.extend(unknown(source, &document.root));
    }
    Ok(gathered)
}

fn place(source: &Source, row: &Row) -> String {
    format!("{} {}", source.path, row.from.trim_start_matches('/').replace('/', "."))
}

/// The texts that a row looks at, each with what it shows.
fn given(how: How, node: &Node<'_>) -> Vec<(String, Option<String>)> {
    let text = |node: &Node<'_>| node.as_str().map(|text| (text.to_owned(), None));
    let label = |node: &Node<'_>| node.get("label")?.as_str().filter(|text| is_safe(text)).and_then(texts::keyword);
    match how {
        How::Text(_) | How::Path => text(node).into_iter().collect(),
        How::Each(_) => node.elements().iter().filter_map(text).collect(),
        How::Pictures => {
            let listed =
                node.elements().iter().filter_map(|row| Some((row.get("src")?.as_str()?.to_owned(), label(row))));
            let by_size = node.members().iter().filter_map(|member| text(&member.value));
            text(node).into_iter().chain(listed).chain(by_size).collect()
        }
    }
}

fn taken(how: How, source: &Source, text: &str) -> Option<String> {
    match how {
        How::Text(take) | How::Each(take) => take(text),
        How::Path | How::Pictures => texts::path_from(source.folder(), text),
    }
}

/// A browser's `__MSG_name__` stands for a text of the default language.
fn message(project: &ProjectFolder<'_>, source: &Source, root: &Node<'_>, text: &str) -> String {
    let read = || {
        let name = text.strip_prefix("__MSG_")?.strip_suffix("__")?.to_lowercase();
        let language = root.get("default_locale")?.as_str().filter(|text| is_safe(text))?;
        let path = texts::path_from(source.folder(), &format!("_locales/{language}/messages.json"))?;
        let bytes = project.read(&path, SOURCE_BYTES).ok()?;
        let document = svc_json::tree::read(&bytes).ok()?;
        let member = document.root.members().iter().find(|member| member.key.to_lowercase() == name)?;
        Some(member.value.get("message")?.as_str()?.to_owned())
    };
    let read = if source.kind == Kind::Browser { read() } else { None };
    read.unwrap_or_else(|| text.to_owned())
}

/// Members that no row looks at. Those of a package.json are about its build.
fn unknown(source: &Source, root: &Node<'_>) -> Option<(String, String)> {
    const PASSED: &[&str] = &[
        "$schema",
        "manifest_version",
        "default_locale",
        "minimum_chrome_version",
        "key",
        "update_url",
        "lang",
        "dir",
        "_meta",
    ];
    let is_known = |key: &str| {
        let starts = |row: &Row| row.kind == source.kind && row.from.split('/').nth(1) == Some(key);
        PASSED.contains(&key) || ROWS.iter().any(starts)
    };
    let keys: Vec<&str> =
        root.members().iter().map(|member| member.key.as_ref()).filter(|key| !is_known(key)).collect();
    (source.kind != Kind::Npm && !keys.is_empty()).then(|| (source.path.clone(), keys.join(", ")))
}
