//! The packages of examples. Most are a small change to [`BASE`], on which no rule fires, so that an example shows its
//! point and nothing else.

use std::collections::BTreeMap;

use data_encoding::HEXLOWER;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::words::example::Example;

/// The package that examples change.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "example-base")]
pub struct Base {
    /// Its files, one a line: its path and its text.
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
board.js: fetch(\"https://api.acme.dev/forecasts\");
index.html: <!doctype html><script src=\"board.js\"></script>
locales/en.json: {}",
    manifest: r#"{
  "$schema": ".svc/app-manifest.schema.json",
  "manifestVersion": 1,
  "id": "dev.acme.weather-board",
  "name": "Weather Board",
  "version": "1.2.0",
  "summary": "Shows the weather for the places your team works in.",
  "publisher": { "id": "acme", "url": "https://acme.dev" },
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

/// A manifest and the files beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExamplePackage {
    /// The text of the manifest.
    pub manifest: Vec<u8>,
    /// The bytes of each file, by path.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Example {
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
