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
        Self { file: travelling(path, path), range: None }
    }

    /// The place of a finding about a document or a file beside it, for a report that is read elsewhere.
    pub(crate) fn new(document: &ReportedDocument, finding: &Finding) -> Self {
        Self::by(document, finding, travelling)
    }

    /// The place of a finding for whoever typed the command: what lies elsewhere is shown by the path that was typed.
    pub(crate) fn typed(document: &ReportedDocument, finding: &Finding) -> Self {
        Self::by(document, finding, |path, document| {
            from_current_folder(path, document).unwrap_or_else(|| slashed(path))
        })
    }

    fn by(document: &ReportedDocument, finding: &Finding, shown: impl Fn(&Path, &Path) -> String) -> Self {
        let spanned = document.text().zip(finding.span);
        let in_document = spanned.map(|(text, span)| (text.position(span.start), text.position(span.end)));
        let file = match &finding.file {
            Some(beside) => Path::new(&document.label).with_file_name(beside),
            None => PathBuf::from(&document.label),
        };
        let range = in_document.or(finding.position.map(|position| (position, position)));
        Self { file: shown(&file, Path::new(&document.label)), range }
    }
}

/// Annotations and reports are read elsewhere: no path of this machine reaches them. What was given by an absolute path
/// and lies elsewhere is shown from its own folder on.
fn travelling(path: &Path, document: &Path) -> String {
    from_current_folder(path, document)
        .unwrap_or_else(|| slashed(if path.is_absolute() { beneath(path, document) } else { path }))
}

/// The path from the current folder on, if it lies beneath it.
///
/// Only the document's folder, which the user named, is looked up. Beneath it names are the package's: a link there is
/// shown by its own name, never by where it leads.
fn from_current_folder(path: &Path, document: &Path) -> Option<String> {
    let folder = document.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let current = std::env::current_dir().and_then(|folder| folder.canonicalize()).ok()?;
    let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf()).join(beneath(path, document));
    whole.strip_prefix(&current).ok().map(slashed)
}

fn beneath<'p>(path: &'p Path, document: &Path) -> &'p Path {
    document.parent().and_then(|folder| path.strip_prefix(folder).ok()).unwrap_or(path)
}

fn slashed(path: &Path) -> String {
    let shown = path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
    shown.strip_prefix("./").map(str::to_owned).unwrap_or(shown)
}
