//! A folder with the seven files, looked at as a whole.

use std::{ffi::OsString, fs, path::Path};

use svc_cli::{
    failure::Failure,
    files::{
        document::read_document,
        read::{Input, ReadError},
    },
    scope::Scope,
};
use svc_core::{
    bundle::{self, Bundle, Files},
    words::{exit_code::ExitCode, kind},
};

use crate::{
    artifact_files::read_artifact,
    report::{Action, ArtifactLine, PackageLine, ReportedDocument, RunReport},
};
use svc_cli::rules::rules;

/// A folder that was looked at: what is to be said of it, and the bundle when every file and every edge holds.
pub(super) struct LookedAt {
    pub(super) report: RunReport,
    pub(super) bundle: Option<Bundle>,
    /// The files that are there.
    pub(super) files: Files,
}

/// Checks the bundle of a folder.
pub(super) fn look_at(folder: &Path) -> Result<LookedAt, Failure> {
    let files = read_bundle(folder)?;
    let label = |file: &str| folder.join(file).to_string_lossy().into_owned();
    let mut report = RunReport::default();
    let mut looked_at = match bundle::verify(rules(), &files) {
        Ok(verified) => {
            let bundle = &verified.bundle;
            for ((spec, digest), (_, warnings)) in bundle.digests().into_iter().zip(&verified.warnings) {
                report.artifacts.push(ArtifactLine::new(Action::Checked, label(spec.file), spec, digest));
                let bytes = files.get(spec.file).cloned().unwrap_or_default();
                report.documents.push(ReportedDocument::new(label(spec.file), bytes, warnings.clone()));
            }
            report.packages.push(PackageLine::of_bundle(bundle));
            report.scope = Scope::of_bundle().with_rules_of(bundle.submission.has_own_rules());
            LookedAt { report, bundle: Some(verified.bundle), files }
        }
        Err(broken) => {
            report.broken_edge = broken.edge;
            let are_all_there = kind::ALL.iter().all(|spec| files.contains_key(spec.file));
            report.scope = match broken.edge {
                Some(_) => Scope::of_broken_chain(),
                None => Scope::of_broken_files(are_all_there),
            };
            for (spec, findings) in broken.findings {
                let bytes = files.get(spec.file).cloned().unwrap_or_default();
                report.documents.push(ReportedDocument::new(label(spec.file), bytes, findings));
            }
            LookedAt { report, bundle: None, files }
        }
    };
    let own: Vec<&str> = kind::ALL.iter().map(|spec| spec.file).collect();
    if has_others(folder, &own)? {
        looked_at.report.scope.note_other_files();
    }
    Ok(looked_at)
}

/// Whether a folder has something under another name than these.
pub(super) fn has_others(folder: &Path, own: &[&str]) -> Result<bool, Failure> {
    let entries = fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.file_name())).collect());
    let names: Vec<OsString> = entries.map_err(|error| Failure::reading(&folder.to_string_lossy(), &error.into()))?;
    Ok(names.iter().any(|name| own.iter().all(|own| name != own)))
}

/// The files that are there; a missing one is the bundle's fault, not the disk's.
fn read_bundle(folder: &Path) -> Result<Files, Failure> {
    if !folder.is_dir() {
        let why = if folder.symlink_metadata().is_ok() { "is not a folder" } else { "no such folder" };
        let message = format!("{}: {why}", folder.to_string_lossy());
        let help = Some("give the folder that `svc app preflight` wrote, with the seven files".to_owned());
        return Err(Failure { exit: ExitCode::InputOutput, message, help });
    }
    let mut files = Files::new();
    for spec in kind::ALL {
        let input = Input::Path(folder.join(spec.file));
        match read_document(&input, spec.most_bytes as u64) {
            Ok(bytes) => {
                files.insert(spec.file, bytes);
            }
            Err(ReadError::NotFound) => {}
            Err(_) => {
                read_artifact(&input, spec)?;
            }
        }
    }
    Ok(files)
}
