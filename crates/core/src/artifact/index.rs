//! The index: one or more submissions as collection entries, in one order.

use std::{cmp::Ordering, collections::BTreeMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use svc_json::{canonical, digest::Digest, pointer::Pointer};

use crate::{
    artifact::{
        about_package::AboutPackage,
        checked::{Checked, Examined, IsArtifact},
        derive::seal_built,
        examination::{compared, ruleset_fault},
        head::{Kind, Parent, SchemaUrn, Status},
        submission::Submission,
    },
    closed::{DigestMatches, False},
    finding::Finding,
    findings::Findings,
    gates::GateStatuses,
    review,
    rules::ruleset::Rules,
    scalar::{
        ident::{OwnerId, PackageRef},
        ruleset_ref::RulesetRef,
    },
    wire_enum, wire_struct,
    words::{
        kind::{self, ArtifactKind, ArtifactSpec, SchemaVersion},
        limits,
        rule_code::RuleCode,
    },
};

wire_enum! {
    /// Whose collection an entry is in.
    pub enum ScopeType("scope-type", B015) {
        /// A user's.
        User = "user",
        /// A space's.
        Space = "space",
    }
}

wire_struct! {
    /// The collection an entry is in.
    Scope "scope" {
        /// The user or space.
        id: OwnerId,
        /// Which of the two.
        r#type: ScopeType,
    }
    /// One entry.
    IndexEntry "index-entry" {
        /// The collection it is in.
        scope: Scope,
        /// The submission.
        submission: Submission,
        /// The submission's document digest.
        submission_digest: Digest,
    }
}

/// An index of submissions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Index {
    /// The schema.
    #[serde(rename = "$schema")]
    schema: SchemaUrn<Index>,
    /// Never accepted.
    accepted: False,
    /// The submissions it was made from, in the order of the entries.
    #[schemars(length(min = 1, max = 1000))]
    derived_from: Vec<Parent>,
    /// The digest of everything else in this document.
    document_digest: Digest,
    /// The entries, sorted by the bytes of package id, version, scope type and scope id.
    #[schemars(length(min = 1, max = 1000))]
    entries: Vec<IndexEntry>,
    /// The status of every gate.
    gate_statuses: GateStatuses,
    /// Never installable.
    installable: False,
    /// The kind of artifact.
    kind: Kind<Index>,
    /// The rules it was made with.
    ruleset: RulesetRef,
    /// The version of this schema.
    schema_version: SchemaVersion,
    /// Never signed.
    signed: False,
    /// The one status word of this kind.
    status: Status<Index>,
}

impl Index {
    /// The index of checked submissions, by these rules. Without a scope, each entry is in its owner's collection.
    ///
    /// # Errors
    /// When a package version is in one collection twice, or the index would be larger than the registry reads.
    pub fn from_submissions(
        rules: &Rules,
        submissions: &[Checked<Submission>],
        scope: Option<&Scope>,
    ) -> Result<Checked<Self>, Findings> {
        let mut entries: Vec<IndexEntry> = submissions.iter().map(|submission| entry(submission, scope)).collect();
        entries.sort_by(|left, right| key(left).cmp(&key(right)));
        let mut index = Self {
            schema: SchemaUrn::default(),
            accepted: False,
            derived_from: entries.iter().map(parent).collect(),
            document_digest: Digest::of(b""),
            entries,
            gate_statuses: GateStatuses::now(),
            installable: False,
            kind: Kind::default(),
            ruleset: rules.ruleset().clone(),
            schema_version: SchemaVersion::V1_0,
            signed: False,
            status: Status::default(),
        };
        index.document_digest = index.recompute_document_digest();
        seal_built(rules, index)
    }

    /// The first two of these submissions that would be the same version in the same collection, by their place in the list.
    #[must_use]
    pub fn first_conflict(submissions: &[Checked<Submission>], scope: Option<&Scope>) -> Option<Conflict> {
        let mut seen = BTreeMap::new();
        submissions.iter().enumerate().find_map(|(second, submission)| {
            let (package, scope) = (submission.package().clone(), scope_of(submission, scope));
            let first = seen.insert(key_of(&package, &scope).map(str::to_owned), second)?;
            Some(Conflict { first, second, package, scope })
        })
    }

    /// The entries.
    #[must_use]
    pub fn entries(&self) -> &[IndexEntry] {
        &self.entries
    }
}

/// Two submissions of one version that one collection cannot list both.
#[derive(Clone, Debug)]
pub struct Conflict {
    pub first: usize,
    pub second: usize,
    pub package: PackageRef,
    pub scope: Scope,
}

fn entry(submission: &Checked<Submission>, scope: Option<&Scope>) -> IndexEntry {
    IndexEntry {
        scope: scope_of(submission, scope),
        submission: Submission::clone(submission),
        submission_digest: *submission.digest_matches().digest(),
    }
}

fn scope_of(submission: &Checked<Submission>, scope: Option<&Scope>) -> Scope {
    let own = || Scope { id: submission.basis().owner.id.clone(), r#type: ScopeType::User };
    scope.cloned().unwrap_or_else(own)
}

fn parent(entry: &IndexEntry) -> Parent {
    Parent { digest: entry.submission_digest, kind: ArtifactKind::Submission }
}

/// What tells entries apart and orders them, by bytes: a version is in a collection once, and may be in several.
fn key(entry: &IndexEntry) -> [&str; 4] {
    key_of(entry.submission.package(), &entry.scope)
}

fn key_of<'a>(package: &'a PackageRef, scope: &'a Scope) -> [&'a str; 4] {
    [package.id.as_str(), package.version.as_str(), scope.r#type.as_str(), scope.id.as_str()]
}

impl IsArtifact for Index {
    const SPEC: &'static ArtifactSpec = &kind::INDEX;

    fn document_digest(&self) -> &Digest {
        &self.document_digest
    }

    /// Everything but the digest itself and the embedded submissions, which have digests of their own.
    fn recompute_document_digest(&self) -> Digest {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct View<'a> {
            #[serde(rename = "$schema")]
            schema: SchemaUrn<Index>,
            accepted: False,
            derived_from: &'a [Parent],
            entries: Vec<EntryView<'a>>,
            gate_statuses: GateStatuses,
            installable: False,
            kind: Kind<Index>,
            ruleset: &'a RulesetRef,
            schema_version: SchemaVersion,
            signed: False,
            status: Status<Index>,
        }

        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct EntryView<'a> {
            scope: &'a Scope,
            submission_digest: &'a Digest,
        }

        let entries = self.entries.iter();
        canonical::digest(&View {
            schema: self.schema.clone(),
            accepted: self.accepted,
            derived_from: &self.derived_from,
            entries: entries
                .map(|entry| EntryView { scope: &entry.scope, submission_digest: &entry.submission_digest })
                .collect(),
            gate_statuses: self.gate_statuses,
            installable: self.installable,
            kind: self.kind.clone(),
            ruleset: &self.ruleset,
            schema_version: self.schema_version,
            signed: self.signed,
            status: self.status.clone(),
        })
        .0
    }

    fn examine(&self, rules: &Rules) -> Examined {
        let mut examined = Examined {
            faults: self.order_faults(rules),
            rulesets: compared(rules, &self.ruleset),
            packages: Vec::new(),
        };
        examined.faults.extend(self.count_fault(rules));
        examined.faults.extend(ruleset_fault(rules, &self.ruleset));
        let room = limits::REPORT_FINDINGS.div_ceil(self.entries.len().max(1)).max(ENTRY_FINDINGS);
        for (index, entry) in self.entries.iter().enumerate() {
            let found = examine_entry(rules, entry, &Pointer::root().join("entries").join(index));
            examined.faults.append(found.faults);
            examined.packages.extend(found.packages.into_iter().map(|package| {
                let findings = review::within(package.findings(), room);
                package.with_findings(findings)
            }));
        }
        if !self.derived_from.iter().cloned().eq(self.entries.iter().map(parent)) {
            let message = "the parents are not the submissions of the entries";
            examined.faults.push(rules.finding(RuleCode::B005, message).at(Pointer::root().join("derivedFrom")));
        }
        examined
    }
}

impl Index {
    fn count_fault(&self, rules: &Rules) -> Option<Finding> {
        let (code, message) = match self.entries.len() {
            0 => (RuleCode::B015, "an index has at least one entry"),
            1..=limits::INDEX_ENTRIES => return None,
            _ => (RuleCode::B016, "the index has too many entries"),
        };
        Some(rules.finding(code, message).at(Pointer::root().join("entries")))
    }

    /// Entries are in order; no package version is in one collection twice, so none can have two digests there.
    fn order_faults(&self, rules: &Rules) -> Findings {
        let mut findings = Findings::default();
        for (index, pair) in self.entries.windows(2).enumerate() {
            let [left, right] = pair else { continue };
            let place = Pointer::root().join("entries").join(index + 1);
            let message = match key(left).cmp(&key(right)) {
                Ordering::Less => continue,
                Ordering::Equal => "the package version is in this collection twice",
                Ordering::Greater => "entries are sorted by package id, version, scope type and scope id",
            };
            findings.push(rules.finding(RuleCode::B008, message).at(place));
        }
        findings
    }
}

/// How many findings of an entry are kept whatever the number of entries: they share what one document has room for.
const ENTRY_FINDINGS: usize = 10;

fn examine_entry(rules: &Rules, entry: &IndexEntry, place: &Pointer) -> Examined {
    let inner = place.join("submission");
    let Examined { faults, rulesets, mut packages } = entry.submission.examine(rules);
    let mut faults = faults.beneath(&inner);
    let recomputed = entry.submission.recompute_document_digest();
    for (declared, place) in [
        (entry.submission.document_digest(), inner.join("documentDigest")),
        (&entry.submission_digest, place.join("submissionDigest")),
    ] {
        if DigestMatches::compare(declared, &recomputed).is_none() {
            faults.push(rules.finding(RuleCode::B003, "the submission's digest does not recompute").at(place));
        }
    }
    for package in &mut packages {
        package.evaluated.enter_collection();
    }
    Examined { faults, rulesets, packages }
}
