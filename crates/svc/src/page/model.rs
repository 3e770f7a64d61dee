//! The model of a report: everything that the page and the Markdown say, and nothing that they have to decide.
//!
//! Foreign texts in it are as `text.rs` leaves them. It holds no time, no path of the machine and no name of it: the same
//! bundle gives the same bytes.

use serde::Serialize;
use svc_core::{
    closed::False,
    words::{severity::Severity, stage::Stage},
};

/// A report on one bundle.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReportModel {
    pub(crate) accepted: False,
    /// The seven artifacts, each after the one it was derived from.
    pub(crate) chain: Vec<ChainLink>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) difference: Option<Difference>,
    pub(crate) files: FileList,
    pub(crate) findings: FindingList,
    pub(crate) installable: False,
    pub(crate) listing: Listing,
    /// The program and the rules that made the report.
    pub(crate) made_by: String,
    /// What the report does not know, in sentences. Never empty.
    pub(crate) not_looked_at: Vec<String>,
    pub(crate) signed: False,
    pub(crate) standing: PackageStatus,
    pub(crate) uses: Uses,
}

/// One artifact and its place in the chain.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChainLink {
    pub(crate) digest: String,
    pub(crate) file: &'static str,
    pub(crate) name: &'static str,
    /// The artifact that it was derived from, by its place in the list. The submission has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<usize>,
    pub(crate) status: &'static str,
}

/// What changed since another bundle.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Difference {
    pub(crate) changes: Vec<ChangeRow>,
    /// What had no room, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) left_out: Option<String>,
    /// The package of the other bundle, with its version.
    pub(crate) since: String,
    /// Whether the other bundle is about a package of another id.
    pub(crate) other_package: bool,
}

/// One thing that was added, removed or changed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangeRow {
    /// `added`, `removed` or `changed`.
    pub(crate) how: &'static str,
    pub(crate) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) now: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) was: Option<String>,
    pub(crate) what: &'static str,
}

/// The files of the package, the largest first.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FileList {
    pub(crate) bytes: u64,
    pub(crate) count: usize,
    /// What the folder of the package told, in a sentence.
    pub(crate) on_disk: String,
    /// The files that had no room, summed by their first folder.
    pub(crate) rest: Vec<FolderRow>,
    pub(crate) rows: Vec<FileRow>,
}

/// One file.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FileRow {
    pub(crate) bytes: u64,
    pub(crate) digest: String,
    pub(crate) on_disk: OnDisk,
    pub(crate) path: String,
}

/// Several files of one folder.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FolderRow {
    pub(crate) bytes: u64,
    pub(crate) files: usize,
    pub(crate) folder: String,
}

/// What the folder of the package holds of a file of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum OnDisk {
    /// No folder was given, or the table claims more than a package may hold.
    NotLookedAt,
    /// The same bytes.
    Same,
    /// Other bytes, or something else than a file.
    Differs,
    /// Nothing.
    Missing,
}

/// What our own rules found.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FindingList {
    /// How many there are of each severity, in words.
    pub(crate) counts: String,
    /// What had no room, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) left_out: Option<String>,
    /// Why some or all findings have no source line, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lines: Option<String>,
    pub(crate) rows: Vec<FindingRow>,
    pub(crate) total: usize,
}

/// One finding.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FindingRow {
    pub(crate) code: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) excerpt: Option<ExcerptRow>,
    pub(crate) help: String,
    pub(crate) message: String,
    /// The file with line and column, or the pointer into the manifest.
    pub(crate) place: String,
    pub(crate) severity: Severity,
}

/// A stretch of a source line, with what is marked in it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExcerptRow {
    pub(crate) after: String,
    pub(crate) before: String,
    pub(crate) line: usize,
    pub(crate) marked: String,
}

/// The listing as a host would show it, if there were one.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Listing {
    pub(crate) categories: Vec<String>,
    pub(crate) icon: PictureSlot,
    pub(crate) id: String,
    pub(crate) license: String,
    /// Addresses that the manifest names, never to be followed by the page.
    pub(crate) addresses: Vec<Address>,
    pub(crate) name: String,
    pub(crate) owner: String,
    pub(crate) publisher: String,
    /// Screenshots that the manifest names beyond those.
    pub(crate) more_screenshots: usize,
    pub(crate) screenshots: Vec<PictureSlot>,
    pub(crate) summary: String,
    pub(crate) version: String,
    pub(crate) visibility: &'static str,
}

/// An address of the manifest.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Address {
    pub(crate) url: String,
    pub(crate) what: &'static str,
}

/// A place for a picture: the picture, or why it is not shown.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PictureSlot {
    pub(crate) alt: String,
    /// The picture as a `data:` address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<String>,
    pub(crate) path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) why_not: Option<String>,
}

/// Where the package stands.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PackageStatus {
    pub(crate) blockers: Vec<BlockerRow>,
    /// The digest of the package artifact.
    pub(crate) digest: String,
    pub(crate) gates: Vec<GateRow>,
    pub(crate) next: &'static str,
    /// The verdict of our own rules, in words.
    pub(crate) review: String,
    /// What stage and verdict are based on, in words.
    pub(crate) reviewed: String,
    pub(crate) stage: &'static str,
    pub(crate) stages: Vec<StageRow>,
}

/// What stands between the package and a stage.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BlockerRow {
    pub(crate) blocks: &'static str,
    pub(crate) code: String,
    pub(crate) owner: &'static str,
    pub(crate) remedy: String,
    pub(crate) what: String,
}

/// One gate.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GateRow {
    pub(crate) cleared_by: &'static str,
    pub(crate) evidenced: bool,
    pub(crate) gate: &'static str,
    pub(crate) missing: &'static str,
    pub(crate) word: String,
}

/// One stage.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StageRow {
    pub(crate) id: Stage,
    pub(crate) label: &'static str,
    pub(crate) meaning: &'static str,
    pub(crate) state: StageState,
}

/// Whether a stage is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StageState {
    Reached,
    NotReached,
    /// Nothing here leads to it.
    OutOfReach,
}

/// What the package asks for beside what its code was seen to do.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Uses {
    /// What it says that it collects, each once.
    pub(crate) data: Vec<&'static str>,
    /// Whether code was not read, so that more may be used.
    pub(crate) incomplete: bool,
    /// What had no room, in words. What is used and not declared stands first, and so is never left out for the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) left_out: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) network_purpose: Option<String>,
    pub(crate) origins: Vec<UseLine>,
    pub(crate) permissions: Vec<UseLine>,
    /// The content security policy, in words.
    pub(crate) policy: String,
}

/// A permission or an origin.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UseLine {
    pub(crate) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) purpose: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) risk: Option<&'static str>,
    pub(crate) standing: UseStatus,
    /// The files that use it, in words.
    pub(crate) used_by: String,
    /// The standing in words.
    pub(crate) words: &'static str,
}

/// What is declared beside what is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum UseStatus {
    Declared,
    UsedNotDeclared,
    DeclaredNotUsed,
    /// The host grants it, and code shows no trace of it.
    DeclaredNotVisible,
    /// An address that only the running code knows.
    Computed,
}
