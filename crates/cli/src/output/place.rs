//! Where a finding stands, as lines and columns of a file that others can open.

use std::path::{Path, PathBuf};

use svc_core::finding::Finding;
use svc_json::position::Position;

use crate::report::ReportedDocument;

#[derive(Clone, Debug)]
pub(crate) struct FindingPlace {
    /// The file, relative to the current folder where it lies beneath it, with `/`.
    pub(crate) file: String,
    /// First and last position, when the finding has any.
    pub(crate) range: Option<(Position, Position)>,
}

impl FindingPlace {
    pub(crate) fn of_file(file: &str) -> Self {
        let path = Path::new(file);
        Self { file: relative(path, path), range: None }
    }

    /// The place of a finding about a document or a file beside it.
    pub(crate) fn of(document: &ReportedDocument, finding: &Finding) -> Self {
        let text = std::str::from_utf8(&document.bytes).ok();
        let in_document =
            text.zip(finding.span).map(|(text, span)| (Position::of(text, span.start), Position::of(text, span.end)));
        let file = match &finding.file {
            Some(beside) => Path::new(&document.label).with_file_name(beside),
            None => PathBuf::from(&document.label),
        };
        let range = in_document.or(finding.position.map(|position| (position, position)));
        Self { file: relative(&file, Path::new(&document.label)), range }
    }
}

/// Annotations and reports are read elsewhere: no path of this machine reaches them. What was given by an absolute path
/// and lies elsewhere is shown from its own folder on.
///
/// Only the document's folder, which the user named, is looked up. Beneath it names are the package's: a link there is
/// shown by its own name, never by where it leads.
fn relative(path: &Path, document: &Path) -> String {
    let folder = document.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let beneath = match document.parent() {
        Some(folder) => path.strip_prefix(folder).unwrap_or(path),
        None => path,
    };
    let current = std::env::current_dir().and_then(|folder| folder.canonicalize()).unwrap_or_default();
    let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf()).join(beneath);
    let shown = match whole.strip_prefix(&current) {
        Ok(beneath) => beneath,
        Err(_) if path.is_absolute() => beneath,
        Err(_) => path,
    };
    let shown = shown.to_string_lossy().replace('\\', "/");
    shown.strip_prefix("./").map(str::to_owned).unwrap_or(shown)
}
