//! `svc app pack`: a package becomes a submission.

use svc_core::{
    artifact::{
        checked::Verified,
        head::{Owner, Visibility},
    },
    finding,
    ident::{OwnerId, OwnerName},
    leaf::IsLeaf as _,
    limits,
    pack::{self, Draft},
};

use super::make;
use crate::{
    failure::Failure,
    files::{
        read::{Input, read_bounded},
        write::Output,
    },
    package,
    report::{Deny, Document, PackageLine, Report},
};

/// What the command line says.
#[derive(Debug)]
pub(crate) struct PackOptions {
    pub(crate) manifest: Input,
    pub(crate) owner_id: Option<String>,
    pub(crate) owner_name: Option<String>,
    pub(crate) visibility: Visibility,
    pub(crate) out: Output,
    pub(crate) deny: Deny,
}

/// Runs the command.
pub(crate) fn run(options: &PackOptions) -> Result<Report, Failure> {
    make::refuse_same_file(&options.out, std::slice::from_ref(&options.manifest))?;
    let label = options.manifest.label();
    let bytes = read_manifest(&options.manifest)?;
    let mut report = Report { deny: options.deny, ..Report::default() };
    let draft = match pack::read_manifest(&bytes) {
        Ok(draft) => draft,
        Err(findings) => {
            report.documents.push(Document::new(label, bytes, findings));
            return Ok(report);
        }
    };
    let owner = owner(options, &draft)?;
    let left_out: Vec<_> = match &options.out {
        Output::Stdout => Vec::new(),
        Output::Path(path) => vec![path.clone()],
    };
    let walked = package::walk(&package::root_of(&options.manifest), &draft, &left_out);
    let reviewed = draft.review(walked, owner.as_ref());
    let packed = match owner {
        Some(owner) => reviewed.pack(owner, options.visibility),
        None if finding::has_errors(&reviewed.findings) => Err(reviewed.findings),
        None => return Err(no_owner()),
    };
    match packed {
        Err(findings) => report.documents.push(Document::new(label, bytes, findings)),
        Ok(packed) => {
            report.documents.push(Document::new(label, bytes, packed.findings));
            if report.is_valid() {
                report.package = Some(PackageLine::of(&packed.submission));
                make::deliver(&mut report, &options.out, &Verified::of(&packed.submission))?;
            }
        }
    }
    Ok(report)
}

/// Reads a manifest, bounded.
pub(crate) fn read_manifest(manifest: &Input) -> Result<Vec<u8>, Failure> {
    read_bounded(manifest, limits::MANIFEST_BYTES as u64).map_err(|error| Failure::reading(&manifest.label(), &error))
}

/// The owner from the options, else the manifest's publisher. Nothing when the manifest has none that can be used.
fn owner(options: &PackOptions, draft: &Draft<'_>) -> Result<Option<Owner>, Failure> {
    let publisher = draft.publisher();
    let id = match &options.owner_id {
        Some(text) => Some(OwnerId::parse(text).ok_or_else(|| bad_option("--owner-id", OwnerId::LEAF.expected))?),
        None => publisher.and_then(|(id, _)| OwnerId::parse(id)),
    };
    let name = match &options.owner_name {
        Some(text) => {
            let name = OwnerName::parse(text).filter(|_| text.chars().all(crate::output::escape::is_safe));
            Some(name.ok_or_else(|| bad_option("--owner-name", OwnerName::LEAF.expected))?)
        }
        None => match &options.owner_id {
            Some(id) => OwnerName::parse(id),
            None => publisher.and_then(|(_, name)| OwnerName::parse(name)),
        },
    };
    Ok(id.zip(name).map(|(id, name)| Owner { id, name }))
}

fn no_owner() -> Failure {
    Failure::usage("the manifest's publisher cannot stand for the owner", "give --owner-id and --owner-name")
}

fn bad_option(option: &str, expected: &str) -> Failure {
    Failure::usage(format!("the value of {option} cannot be used"), format!("give {expected}"))
}
