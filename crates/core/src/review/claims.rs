//! What a report claims about bytes that nobody here has.
//!
//! Rules that read the bytes of files cannot be run again over an artifact. What a report says in their name is the
//! author's word about the author's own package: it counts against the package, but never as a text. Each claim is turned
//! back into what the bytes would have told, and our own rules run over that. So a claim stands in our words and at our
//! places, or the rules do not give it and the report is found to differ.

use svc_json::pointer::Pointer;

use crate::{
    package::{
        artifact::PackageArtifact,
        folder::Folder,
        scan::{self, FileFacts, png::Picture, sighting::Sighting},
    },
    review::report::{ReportFinding, ReviewReport},
    rules::{files, listing, permissions, ruleset},
};

/// The folder that a report claims to have been made from, as far as our rules could have seen it.
#[must_use]
pub fn claimed_folder(report: &ReviewReport, artifact: &PackageArtifact) -> Folder {
    let mut folder = Folder { matched: vec![true; artifact.manifest.files.len()], ..Folder::default() };
    for finding in report.findings.iter().filter(|finding| finding.needs_bytes()) {
        claim(finding, artifact, &mut folder);
    }
    folder
}

/// Puts one claim into the folder. A claim that no rule could have made leaves nothing there.
fn claim(finding: &ReportFinding, artifact: &PackageArtifact, folder: &mut Folder) {
    let Some(rule) = ruleset::exact(finding.code.as_str()) else { return };
    let Some(row) = row_of(finding.pointer.as_str()) else { return };
    if *rule == files::F012 {
        if let Some(matched) = folder.matched.get_mut(row) {
            *matched = false;
        }
    } else if *rule == listing::L001 || *rule == listing::L003 {
        if let Some(icon) = artifact.manifest.icons.get(row) {
            facts_of(icon.src.as_str(), folder).picture = picture_in(finding.message.as_str());
        }
    } else if *rule == listing::L010 || *rule == permissions::P012 {
        let Some(file) = artifact.files.get(row) else { return };
        let facts = facts_of(file.path.as_str(), folder);
        facts.is_template |= *rule == listing::L010;
        facts.dynamic_code.extend(sighting(finding).filter(|_| *rule == permissions::P012));
    }
}

fn facts_of<'f>(path: &str, folder: &'f mut Folder) -> &'f mut FileFacts {
    folder.facts.entry(path.to_owned()).or_default()
}

/// The number in `/files/3` or `/icons/3/src`.
fn row_of(pointer: &str) -> Option<usize> {
    let row = pointer.split('/').nth(2)?.parse().ok()?;
    // One spelling of each number: `03` and `+3` are no rows.
    pointer.starts_with(Pointer::root().join(pointer.split('/').nth(1)?).join(row).as_str()).then_some(row)
}

/// The two numbers of a sentence about a picture. Whether the rule says that sentence, the rule tells.
fn picture_in(message: &str) -> Option<Picture> {
    let mut numbers = message.split(' ').filter_map(|word| word.parse().ok());
    Some(Picture { width: numbers.next()?, height: numbers.next()? })
}

fn sighting(finding: &ReportFinding) -> Option<Sighting> {
    let what = scan::dynamic_code_named(finding.message.as_str())?;
    Some(Sighting { what, position: finding.range.as_ref()?.start.position() })
}
