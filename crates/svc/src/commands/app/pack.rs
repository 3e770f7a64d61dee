//! `svc app pack`: a package becomes a submission.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Command};
use svc_cli::{
    arguments,
    failure::Failure,
    files::{
        document::{DocumentSource, folder_of, read_document},
        read::Input,
        write::Output,
    },
    output::escape::{is_safe, shell_word},
    scope::Scope,
};
use svc_core::{
    artifact::head::{Owner, Visibility},
    pack::{self, Draft, Packed},
    scalar::ident::{OwnerId, OwnerName},
    words::{
        kind::{self, ArtifactSpec},
        limits,
        wire::WireScalar as _,
    },
};
use svc_json::tree;

use crate::{
    artifact_files::{deliver, refuse_same_file},
    named::Named,
    package, package_arguments,
    report::{PackageLine, ReportedDocument, RunReport},
};
use svc_cli::rules::rules;

/// Who submits, as the command line says.
#[derive(Clone, Debug)]
pub(crate) struct Submitter {
    pub(crate) id: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) visibility: Option<Visibility>,
}

pub(crate) fn command(spec: &'static ArtifactSpec) -> Command {
    Command::new(spec.make.name)
        .about(spec.make.about)
        .arg(arguments::input().value_name("MANIFEST|DIR"))
        .args(package_arguments::owner())
        .arg(package_arguments::out(spec))
        .args(package_arguments::deny())
}

pub(crate) fn run(spec: &'static ArtifactSpec, matches: &ArgMatches) -> Result<RunReport, Failure> {
    let inputs = arguments::given_inputs(matches).into_iter().map(|input| Ok(Named::resolve(input)?.manifest()));
    let inputs = inputs.collect::<Result<Vec<Input>, Failure>>()?;
    let out = package_arguments::given_out(matches, spec);
    refuse_same_file(&out, &inputs)?;
    let deny = package_arguments::given_deny(matches)?;
    let mut report = RunReport { deny, writes: true, payload: out.empty_payload(), ..RunReport::default() };
    let Some(manifest) = inputs.first() else { return Ok(report) };
    let left_out: Vec<PathBuf> = match &out {
        Output::Stdout => Vec::new(),
        Output::Path(path) => vec![path.clone()],
    };
    refuse_package_file(&out, &folder_of(manifest))?;
    if let Some(packed) = pack_into(&mut report, manifest, &Submitter::given(matches), &left_out)? {
        deliver(&mut report, &out, &packed.submission.into())?;
    }
    Ok(report)
}

/// An output inside the package replaces what svc wrote there before, and nothing else: the walk leaves it out, so that
/// a file of the package would be lost without a word.
fn refuse_package_file(out: &Output, root: &Path) -> Result<(), Failure> {
    let Output::Path(path) = out else { return Ok(()) };
    let stands_there = std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    if !stands_there || package::beneath(root, path).is_none() || is_artifact(path) {
        return Ok(());
    }
    let message = format!("{}: `--out` must not be a file of the package", out.label());
    Err(Failure::usage(message, "give another file with --out"))
}

fn is_artifact(path: &Path) -> bool {
    let bytes = read_document(&Input::Path(path.to_owned()), limits::INDEX_BYTES as u64).unwrap_or_default();
    let document = tree::read(&bytes).ok();
    let kind = document.as_ref().and_then(|document| document.root.get("kind")?.as_str());
    kind.is_some_and(|kind| kind::find(kind).is_some())
}

/// Packs in memory and notes everything that was found. Nothing comes back when the run has failed.
pub(crate) fn pack_into(
    report: &mut RunReport,
    manifest: &Input,
    submitter: &Submitter,
    left_out: &[PathBuf],
) -> Result<Option<Packed>, Failure> {
    let (source, bytes) = read_manifest(manifest)?;
    let mut scope = Scope::of_broken_manifest();
    let packed = match pack::read_manifest(rules(), &bytes) {
        Err(findings) => Err(findings),
        Ok(draft) => {
            let owner = submitter.owner(&draft)?;
            let walked = package::walk(&source, &draft, left_out);
            scope = Scope::of_package(&walked);
            if package::leaves_out(&source, &draft, left_out) {
                scope.note_left_out();
            }
            let reviewed = draft.review(walked);
            scope.note_unread(&reviewed.findings);
            match owner {
                Some(owner) => reviewed.pack(owner, submitter.visibility.unwrap_or(Visibility::Private)),
                None if reviewed.findings.has_errors() => Err(reviewed.findings),
                None => return Err(no_owner()),
            }
        }
    };
    report.scope.add(scope);
    let (findings, packed) = match packed {
        Ok(packed) => (packed.findings.clone(), Some(packed)),
        Err(findings) => (findings, None),
    };
    report.documents.push(ReportedDocument::package(manifest.label(), bytes, findings, source));
    let packed = packed.filter(|_| report.is_valid());
    report.packages.extend(packed.as_ref().map(|packed| PackageLine::of_submission(&packed.submission).read_here()));
    Ok(packed)
}

/// Reads a manifest, bounded. Its folder stays open for the files beside it.
pub(crate) fn read_manifest(manifest: &Input) -> Result<(DocumentSource, Vec<u8>), Failure> {
    let read = DocumentSource::open(manifest).and_then(|source| {
        let bytes = source.read(limits::MANIFEST_BYTES as u64)?;
        Ok((source, bytes))
    });
    read.map_err(|error| Failure::reading(&manifest.label(), &error))
}

impl Submitter {
    /// The options that say so again.
    pub(crate) fn in_words(&self) -> String {
        let visibility = self.visibility.map(|visibility| visibility.to_string());
        let given = [("owner-id", &self.id), ("owner-name", &self.name), ("visibility", &visibility)];
        let given = given.into_iter().filter_map(|(option, value)| Some((option, value.as_ref()?)));
        given.map(|(option, value)| format!(" --{option} {}", shell_word(value))).collect()
    }

    pub(crate) fn given(matches: &ArgMatches) -> Self {
        Self {
            id: arguments::text(matches, "owner-id").map(str::to_owned),
            name: arguments::text(matches, "owner-name").map(str::to_owned),
            visibility: package_arguments::given_visibility(matches),
        }
    }

    /// The owner that was given, else the manifest's publisher. Nothing when neither can be used.
    pub(crate) fn owner(&self, draft: &Draft<'_>) -> Result<Option<Owner>, Failure> {
        let publisher = draft.publisher();
        let id = match &self.id {
            Some(text) => Some(OwnerId::parse(text).ok_or_else(|| bad_option("--owner-id", OwnerId::SCALAR.expected))?),
            None => publisher.and_then(|(id, _)| OwnerId::parse(id)),
        };
        let name = match &self.name {
            Some(text) => {
                let name = OwnerName::parse(text).filter(|_| is_safe(text));
                Some(name.ok_or_else(|| bad_option("--owner-name", OwnerName::SCALAR.expected))?)
            }
            None => match &self.id {
                // An id may be longer than a name.
                Some(id) => OwnerName::parse(id.get(..100).unwrap_or(id)),
                None => publisher.and_then(|(_, name)| OwnerName::parse(name)),
            },
        };
        Ok(id.zip(name).map(|(id, name)| Owner { id, name }))
    }
}

pub(crate) fn no_owner() -> Failure {
    Failure::usage(
        "the owner must be known, and the publisher in the manifest cannot be used as the owner",
        "give --owner-id and --owner-name",
    )
}

fn bad_option(option: &str, expected: &str) -> Failure {
    Failure::usage(format!("`{option}` must be {expected}"), format!("give another value for {option}"))
}
