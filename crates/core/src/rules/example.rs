//! Examples: for each rule something that it fires on and something that it lets pass.
//!
//! They stand in the rules' own rows, the tests run them, and `svc explain` and the reference show them. Most are a
//! small change to [`BASE`], on which no rule fires, so that an example shows its point and nothing else.

use std::collections::BTreeMap;

use data_encoding::HEXLOWER;
use serde::Serialize;
use serde_json::Value;

use crate::adversary;

/// One example. Where both ends of a limit are too large to show, it is told in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "form", content = "text", rename_all = "kebab-case")]
pub enum Example {
    /// A whole JSON text.
    Text(&'static str),
    /// Members put into the base manifest; `null` takes one out (RFC 7396).
    Manifest(&'static str),
    /// Files put into the base package, one a line: `path`, `path: text` with `\n` for a line break, or `path: hex:00ff`;
    /// `- path` takes one out.
    Files(&'static str),
    /// A case in words.
    Case(&'static str),
    /// A document of the conformance kit, by its folder.
    Conformance(&'static str),
}

/// The package that examples change.
#[derive(Debug, Serialize)]
pub struct Base {
    /// Its files, as [`Example::Files`] writes them.
    pub files: &'static str,
    /// Its manifest.
    pub manifest: &'static str,
    /// Who submits it.
    pub owner: &'static str,
}

/// A package on which no rule fires. The spare icons and the locale are there for examples to name.
pub static BASE: Base = Base {
    files: "\
README.md: # Weather Board
assets/board.png: hex:89504e470d0a1a0a0000000d4948445200000200000002000806000000f478d4fa
assets/icon-256.png: hex:89504e470d0a1a0a0000000d49484452000001000000010008060000005c72a866
assets/icon.png: hex:89504e470d0a1a0a0000000d4948445200000200000002000806000000f478d4fa
assets/icon.svg: <svg xmlns=\"http://www.w3.org/2000/svg\"/>
index.html: <!doctype html>
locales/en.json: {}",
    manifest: r#"{
  "$schema": ".svc/app-manifest.schema.json",
  "manifestVersion": 1,
  "id": "dev.acme.weather-board",
  "name": "Weather Board",
  "version": "1.2.0",
  "summary": "Shows the weather for the places your team works in.",
  "publisher": { "id": "acme" },
  "license": "MIT",
  "repository": { "url": "https://github.com/acme/weather-board" },
  "support": { "url": "https://acme.dev/support" },
  "privacyPolicy": "https://acme.dev/privacy",
  "engines": { "host": ">=3.2.0 <4.0.0" },
  "entry": { "renderer": "index.html", "isolation": "sandboxed-frame" },
  "permissions": [{ "permission": "network.fetch", "purpose": "Reads forecasts for the places you pin." }],
  "network": { "allow": ["https://api.acme.dev"], "purpose": "The forecast service receives the name of each place." },
  "dataCollection": ["location-approximate"],
  "icons": [{ "src": "assets/icon.png", "sizes": "512x512" }],
  "screenshots": [{ "src": "assets/board.png", "alt": "The board with one card for each place." }],
  "files": ["**"]
}
"#,
    owner: "acme",
};

/// An example for people: what the text is put into, the text, and a remark; lead and remark may be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// What the text is put into.
    pub lead: &'static str,
    /// The text.
    pub text: &'static str,
    /// What to know about it.
    pub remark: &'static str,
}

/// A manifest and the files beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExamplePackage {
    /// The text of the manifest.
    pub manifest: Vec<u8>,
    /// The bytes of each file, by path.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Example {
    /// The text as it stands in the rule's row.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Text(text)
            | Self::Manifest(text)
            | Self::Files(text)
            | Self::Case(text)
            | Self::Conformance(text) => text,
        }
    }

    /// The example for people.
    #[must_use]
    pub fn shown(self) -> Shown {
        let shown = |lead, text, remark| Shown { lead, text, remark };
        match self {
            Self::Text(text) | Self::Case(text) => shown("", text, ""),
            Self::Manifest(text) if text.contains(": null") => shown("svc-app.json with", text, "null: left out"),
            Self::Manifest(text) => shown("svc-app.json with", text, ""),
            Self::Files(text) => match text.strip_prefix("- ") {
                Some(path) => shown("a package without", path, ""),
                None => shown("a package with", text, ""),
            },
            Self::Conformance(folder) => {
                let name = folder.rsplit('/').next().unwrap_or_default();
                let attack = adversary::ALL.iter().find(|attack| attack.name == name);
                shown("conformance case", folder, attack.map_or("a good document", |attack| attack.about))
            }
        }
    }

    /// The package of the example: the base with its change. Nothing for forms that are no package, or that cannot be
    /// read.
    #[must_use]
    pub fn package(self) -> Option<ExamplePackage> {
        let mut package = ExamplePackage::base()?;
        match self {
            Self::Manifest(patch) => return ExamplePackage::with_manifest(patch),
            Self::Files(lines) => package.put(lines)?,
            Self::Text(_) | Self::Case(_) | Self::Conformance(_) => return None,
        }
        Some(package)
    }
}

impl ExamplePackage {
    fn base() -> Option<Self> {
        let mut package = Self { manifest: BASE.manifest.into(), files: BTreeMap::new() };
        package.put(BASE.files)?;
        Some(package)
    }

    /// The base with a merge patch over its manifest. Nothing when that is no JSON object.
    #[must_use]
    pub fn with_manifest(patch: &str) -> Option<Self> {
        let mut package = Self::base()?;
        package.patch(patch)?;
        Some(package)
    }

    fn patch(&mut self, patch: &str) -> Option<()> {
        let mut manifest = serde_json::from_slice(&self.manifest).ok()?;
        merge(&mut manifest, serde_json::from_str(patch).ok()?);
        self.manifest = serde_json::to_vec_pretty(&manifest).ok()?;
        Some(())
    }

    fn put(&mut self, lines: &str) -> Option<()> {
        for line in lines.lines() {
            if let Some(path) = line.strip_prefix("- ") {
                self.files.remove(path)?;
                continue;
            }
            let (path, text) = line.split_once(": ").unwrap_or((line, ""));
            let bytes = match text.strip_prefix("hex:") {
                Some(digits) => HEXLOWER.decode(digits.as_bytes()).ok()?,
                None => text.replace("\\n", "\n").into_bytes(),
            };
            self.files.insert(path.to_owned(), bytes);
        }
        Some(())
    }
}

/// RFC 7396: objects are merged member by member, `null` removes, anything else replaces.
fn merge(target: &mut Value, patch: Value) {
    let Value::Object(changes) = patch else {
        *target = patch;
        return;
    };
    if !target.is_object() {
        *target = Value::Object(serde_json::Map::new());
    }
    let Value::Object(members) = target else { return };
    for (name, change) in changes {
        if change.is_null() {
            members.remove(&name);
        } else {
            merge(members.entry(name).or_insert(Value::Null), change);
        }
    }
}

#[cfg(test)]
mod tests;
