//! Open claims in whatever lies next to a bundle where answers are kept. They are looked for before anything else, so that
//! no other error, missing file or setting can hide one.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use svc_cli::rules::rules;
use svc_cli::{
    failure::Failure,
    files::{document::read_document, folder_swap::answers_beside, read::Input},
    scope::Scope,
};
use svc_core::words::rule_code::RuleCode;
use svc_core::{explain::open_flags::open_flags, findings::Findings, words::limits};

use crate::report::{ReportedDocument, RunReport};

/// More files and folders than answers of many registries are.
const MAX_FILES: usize = 10_000;
const MAX_DEPTH: usize = 8;

/// Stops a run at open claims next to one of the bundles: the report that says so, or nothing.
pub(crate) fn stop(bundles: &[PathBuf]) -> Result<Option<RunReport>, Failure> {
    let mut documents = Vec::new();
    for bundle in bundles {
        documents.extend(open_claims(bundle)?);
    }
    Ok((!documents.is_empty()).then(|| RunReport { documents, scope: Scope::of_open_claims(), ..RunReport::default() }))
}

/// Every file next to a bundle that claims to be open, in any folder where answers are kept.
fn open_claims(bundle: &Path) -> Result<Vec<ReportedDocument>, Failure> {
    let mut files = Vec::new();
    if let Some(folder) = answers_beside(bundle) {
        collect(&folder, 0, &mut files)
            .map_err(|(path, error)| Failure::reading(&path.to_string_lossy(), &error.into()))?;
    }
    files.sort();
    let (mut documents, mut unread) = (Vec::new(), None);
    for path in files {
        let label = path.to_string_lossy().into_owned();
        match read_document(&Input::Path(path), limits::ANSWER_BYTES as u64) {
            Ok(bytes) => {
                let findings = claims(&bytes);
                if !findings.is_empty() {
                    documents.push(ReportedDocument::new(label, bytes, findings));
                }
            }
            Err(error) => unread = unread.or_else(|| Some(Failure::reading(&label, &error))),
        }
    }
    // What cannot be read may claim anything, and is told where nothing that was read does.
    match unread {
        Some(failure) if documents.is_empty() => Err(failure),
        Some(_) | None => Ok(documents),
    }
}

/// The files below a folder. Links are not followed.
fn collect(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), (PathBuf, io::Error)> {
    let failed = |error: io::Error| (folder.to_path_buf(), error);
    if !folder.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        return Ok(());
    }
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let kind = entry.file_type().map_err(failed)?;
        if files.len() > MAX_FILES || depth > MAX_DEPTH {
            return Err(failed(io::Error::other("more files or folders than answers of registries can be")));
        }
        if kind.is_dir() {
            collect(&entry.path(), depth + 1, files)?;
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    Ok(())
}

/// The flags first, which have a place; then what the verifier would call a claim in an answer.
fn claims(bytes: &[u8]) -> Findings {
    let flags = open_flags(rules(), &String::from_utf8_lossy(bytes));
    if !flags.is_empty() {
        return flags;
    }
    let claims = svc_verify::hand_over::open_claims(bytes);
    claims.iter().map(|fault| rules().finding(RuleCode::B006, fault.message.clone())).collect()
}
