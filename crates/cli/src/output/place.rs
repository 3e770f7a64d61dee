//! Where a finding stands, as lines and columns of a file that others can open.

use std::path::{Path, PathBuf};

use svc_core::{finding::Finding, strict_json::tree::Position};

use crate::report::Document;

/// A place in a file.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The file, relative to the current folder where it lies beneath it, with `/`.
    pub(crate) file: String,
    /// First and last position, when the finding has any.
    pub(crate) range: Option<(Position, Position)>,
}

impl Place {
    /// A file as a whole.
    pub(crate) fn of_file(file: &str) -> Self {
        let path = Path::new(file);
        Self { file: relative(path, path.parent()), range: None }
    }

    /// The place of a finding about a document or a file beside it.
    pub(crate) fn of(document: &Document, finding: &Finding) -> Self {
        let text = std::str::from_utf8(&document.bytes).ok();
        let in_document =
            text.zip(finding.span).map(|(text, span)| (Position::of(text, span.start), Position::of(text, span.end)));
        let file = match &finding.file {
            Some(beside) => Path::new(&document.label).with_file_name(beside),
            None => PathBuf::from(&document.label),
        };
        let range = in_document.or(finding.position.map(|position| (position, position)));
        Self { file: relative(&file, Path::new(&document.label).parent()), range }
    }
}

/// Annotations and reports are read elsewhere: no path of this machine reaches them. What was given by an absolute path
/// and lies elsewhere is shown from its own folder on.
fn relative(path: &Path, folder: Option<&Path>) -> String {
    let current = std::env::current_dir().and_then(|folder| folder.canonicalize()).unwrap_or_default();
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let shown = match whole.strip_prefix(&current) {
        Ok(beneath) => beneath,
        Err(_) if path.is_absolute() => folder.and_then(|folder| path.strip_prefix(folder).ok()).unwrap_or(path),
        Err(_) => path,
    };
    let shown = shown.to_string_lossy().replace('\\', "/");
    shown.strip_prefix("./").map(str::to_owned).unwrap_or(shown)
}
