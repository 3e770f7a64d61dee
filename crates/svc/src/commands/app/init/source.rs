//! The manifests of other systems that a draft is made from: which there are, and how they are read.
//!
//! They are foreign text: bounded, plain JSON only, and no member twice. Fractions and hidden characters are passed over
//! here, and no text that holds one is taken.

use std::path::Path;

use svc_cli::{failure::Failure, files::read::ReadError};
use svc_core::{rules::syntax, words::exit_code::ExitCode};
use svc_json::{
    fault::{Fault, FaultKind},
    position::Position,
    tree::{self, Document, Node, Value},
};

use super::project_folder::ProjectFolder;
use crate::package;
use svc_cli::rules::rules;

/// The most that is read of a foreign manifest. Those of large editor extensions reach some hundred KiB.
pub(super) const SOURCE_BYTES: u64 = 1024 * 1024;

/// The file that fills what another manifest leaves open.
const PACKAGE_JSON: &str = "package.json";

/// Where a manifest lies that a build made or takes, the folder itself first. After these, every folder that is there.
const FOLDERS: &[&str] = &["", "dist/", "build/", "public/", "extension/", "src/"];

const FILE_NAMES: &[&str] = &["manifest.json", "manifest.webmanifest", "site.webmanifest", "server.json"];

/// What a foreign manifest is of, the most specific first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A browser extension.
    Browser,
    /// A web app.
    Web,
    /// A server of the Model Context Protocol.
    Mcp,
    /// An npm package.
    Npm,
}

/// A foreign manifest.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) kind: Kind,
    /// Its path beneath the folder.
    pub(super) path: String,
    bytes: Vec<u8>,
}

impl Source {
    /// The folder that its own paths start from, with `/` behind it.
    pub(super) fn folder(&self) -> &str {
        self.path.rfind('/').and_then(|at| self.path.get(..=at)).unwrap_or_default()
    }

    /// What it says.
    pub(super) fn document(&self) -> Result<Document<'_>, Failure> {
        read(&self.path, &self.bytes)
    }
}

/// The manifest to start from, and the package.json that fills the rest.
pub(super) fn find(project: &ProjectFolder<'_>, folder: &Path, from: Option<&Path>) -> Result<Vec<Source>, Failure> {
    let mut sources = match from {
        Some(path) => vec![given(project, folder, path)?],
        None => found(project)?.into_iter().collect(),
    };
    if sources.iter().all(|source| source.kind != Kind::Npm) {
        sources.extend(read_here(project, PACKAGE_JSON)?);
    }
    Ok(sources)
}

fn given(project: &ProjectFolder<'_>, folder: &Path, path: &Path) -> Result<Source, Failure> {
    let label = path.to_string_lossy();
    let Some(beneath) = package::beneath(folder, path) else {
        let message = format!("{label}: `--from` must be a file in the folder, and is none");
        return Err(Failure::usage(message, "give a file that lies in the folder of the package"));
    };
    let bytes = project.read(&beneath, SOURCE_BYTES).map_err(|error| Failure::reading(&label, &error))?;
    match kind_of(&beneath, &read(&beneath, &bytes)?.root) {
        Some(kind) => Ok(Source { kind, path: beneath, bytes }),
        None => Err(Failure::usage(
            format!("{label}: must be a manifest that svc knows, and is none"),
            "give a package.json, a browser extension's manifest.json, a web app manifest or an MCP server.json",
        )),
    }
}

/// The most specific manifest that is there.
fn found(project: &ProjectFolder<'_>) -> Result<Option<Source>, Failure> {
    let mut best: Option<Source> = None;
    let others: Vec<String> = project.work_folders().map(|name| format!("{name}/")).collect();
    let others = others.iter().map(String::as_str).filter(|folder| !FOLDERS.contains(folder));
    for folder in FOLDERS.iter().copied().chain(others) {
        for name in FILE_NAMES {
            let path = format!("{folder}{name}");
            let source = match read_here(project, &path) {
                // What a build left behind may be anything.
                Err(_) if !folder.is_empty() => None,
                source => source?,
            };
            // A server or an npm package in some folder is a part of this project, not the project.
            let is_whole = |source: &Source| FOLDERS.contains(&folder) || source.kind < Kind::Mcp;
            let source = source.filter(is_whole);
            best = match (best, source) {
                (Some(best), Some(source)) if source.kind < best.kind => Some(source),
                (best, source) => best.or(source),
            };
        }
    }
    Ok(best)
}

/// A manifest that may be there. One that is there and cannot be read is no reason to guess.
fn read_here(project: &ProjectFolder<'_>, path: &str) -> Result<Option<Source>, Failure> {
    let bytes = match project.read(path, SOURCE_BYTES) {
        Ok(bytes) => bytes,
        Err(ReadError::NotFound) => return Ok(None),
        Err(error) => return Err(Failure::reading(path, &error)),
    };
    let kind = kind_of(path, &read(path, &bytes)?.root);
    Ok(kind.map(|kind| Source { kind, path: path.to_owned(), bytes }))
}

fn kind_of(path: &str, root: &Node<'_>) -> Option<Kind> {
    let has = |name: &str| root.get(name).is_some();
    let text = |name: &str| root.get(name).and_then(Node::as_str).unwrap_or_default();
    if path.rsplit('/').next() == Some(PACKAGE_JSON) {
        return Some(Kind::Npm);
    }
    match root.get("manifest_version").map(|node| &node.value) {
        Some(Value::Integer(_)) => return Some(Kind::Browser),
        Some(_) => return None,
        None => {}
    }
    if text("$schema").contains("modelcontextprotocol")
        || (text("name").contains('/') && (has("packages") || has("remotes")))
    {
        return Some(Kind::Mcp);
    }
    if has("start_url") || has("display") || (has("icons") && (has("name") || has("short_name"))) {
        return Some(Kind::Web);
    }
    (has("name") && has("version")).then_some(Kind::Npm)
}

/// Reads plain JSON, with nothing in it that two readers see differently.
fn read<'b>(path: &str, bytes: &'b [u8]) -> Result<Document<'b>, Failure> {
    let refuse = |fault: &Fault| {
        let place = Position::of(&String::from_utf8_lossy(bytes), fault.span.start);
        let why = syntax::finding(rules(), fault).message;
        let message = format!("{path}:{place}: must be plain JSON to be taken over: {why}");
        let help = "write plain JSON there, without comments, or name another file with --from".to_owned();
        Failure { exit: ExitCode::Findings, message, help: Some(help) }
    };
    let document = tree::read(bytes)
        .map_err(|faults| faults.last().map_or_else(|| Failure::usage(path, "check the file"), refuse))?;
    let is_grave = |fault: &&Fault| !matches!(fault.kind, FaultKind::Number | FaultKind::Character);
    match document.faults.iter().find(is_grave) {
        Some(fault) => Err(refuse(fault)),
        None => Ok(document),
    }
}
