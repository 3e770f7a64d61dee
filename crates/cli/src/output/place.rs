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
    /// The place of a finding about a document or a file beside it.
    pub(crate) fn of(document: &Document, finding: &Finding) -> Self {
        let text = std::str::from_utf8(&document.bytes).ok();
        let in_document =
            text.zip(finding.span).map(|(text, span)| (Position::of(text, span.start), Position::of(text, span.end)));
        let file = match &finding.file {
            Some(beside) => Path::new(&document.label).with_file_name(beside),
            None => PathBuf::from(&document.label),
        };
        Self { file: relative(&file), range: in_document.or(finding.position.map(|position| (position, position))) }
    }
}

/// Annotations and reports are read elsewhere: no path of this machine may reach them where it can be avoided.
fn relative(path: &Path) -> String {
    let current = std::env::current_dir().and_then(|folder| folder.canonicalize()).unwrap_or_default();
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let shown = whole.strip_prefix(&current).map_or_else(|_| path.to_path_buf(), Path::to_path_buf);
    let shown = shown.to_string_lossy().replace('\\', "/");
    shown.strip_prefix("./").map(str::to_owned).unwrap_or(shown)
}
