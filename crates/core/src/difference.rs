//! What changed between two versions of a package, as two submissions that hold tell it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use svc_json::{pointer::Pointer, tree};

use crate::{
    artifact::{about_package::AboutPackage as _, checked::Checked, submission::Submission},
    finding::Finding,
    findings::Findings,
    manifest::{
        model::Manifest,
        vocabulary::{DataCollection, Permission, Risk},
    },
    package::fact_table::{CONTACT, DYNAMIC_CODE, POWER, REMOTE_CODE},
    review,
    rules::{
        asked_and_used::{AskedAndUsed, UseSeen},
        package::Package,
        ruleset::Rules,
    },
    scalar::{ident::PackageRef, subject::Subject},
    words::rule_code::RuleCode,
};

/// A part of a package that may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangedPart {
    Owner,
    Permission,
    Origin,
    Data,
    /// What code was seen to use, asked for or not.
    Use,
    Blocker,
    /// A member of the manifest that no other part tells of.
    Manifest,
    File,
}

impl ChangedPart {
    /// Every part, in the order in which changes are told.
    pub const ALL: &'static [Self] = &[
        Self::Owner,
        Self::Permission,
        Self::Origin,
        Self::Data,
        Self::Use,
        Self::Blocker,
        Self::Manifest,
        Self::File,
    ];

    /// The word before a change.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Permission => "permission",
            Self::Origin => "origin",
            Self::Data => "data",
            Self::Use => "use",
            Self::Blocker => "blocker",
            Self::Manifest => "manifest",
            Self::File => "file",
        }
    }

    /// The rule on what is gained, where there is one.
    const fn rule(self) -> Option<RuleCode> {
        match self {
            Self::Owner => Some(RuleCode::D006),
            Self::Permission => Some(RuleCode::D001),
            Self::Origin => Some(RuleCode::D002),
            Self::Data => Some(RuleCode::D003),
            Self::Use => Some(RuleCode::D004),
            Self::Blocker => Some(RuleCode::D005),
            Self::Manifest | Self::File => None,
        }
    }

    /// Where it stands in a submission.
    const fn pointer(self) -> &'static str {
        match self {
            Self::Owner => "/owner",
            Self::Permission => "/packageArtifact/manifest/permissions",
            Self::Origin => "/packageArtifact/manifest/network/allow",
            Self::Data => "/packageArtifact/manifest/dataCollection",
            Self::Use => "/reviewReport/facts",
            Self::Blocker => "/blockers",
            Self::Manifest => "/packageArtifact/manifest",
            Self::File => "/packageArtifact/files",
        }
    }
}

/// One change. Names and details are the author's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeRow {
    pub part: ChangedPart,
    pub name: String,
    /// What stood there before, when the name did.
    pub before: Option<String>,
    /// What stands there now, when the name does.
    pub after: Option<String>,
}

impl ChangeRow {
    /// How much it opens, when it is a permission.
    #[must_use]
    pub fn risk(&self) -> Option<Risk> {
        Some(self.part).filter(|part| *part == ChangedPart::Permission)?;
        Permission::parse(&self.name).map(Permission::risk)
    }

    /// Whether somebody may want to know of it before the new version is taken.
    #[must_use]
    pub fn is_gained(&self) -> bool {
        match self.part {
            ChangedPart::Owner => true,
            ChangedPart::Data => self.before.is_none() && self.name != DataCollection::None.as_str(),
            ChangedPart::Permission | ChangedPart::Origin | ChangedPart::Use | ChangedPart::Blocker => {
                self.before.is_none()
            }
            ChangedPart::Manifest | ChangedPart::File => false,
        }
    }

    /// The finding on what is gained.
    fn finding(&self, rules: &Rules, before: &PackageRef) -> Option<Finding> {
        let code = self.part.rule().filter(|_| self.is_gained())?;
        let PackageRef { version, .. } = before;
        let message = match (self.part, self.risk()) {
            (ChangedPart::Owner, _) => format!("the {} is another one than that of {version}", self.name),
            (_, Some(risk)) => format!("the permission `{}` ({risk} risk) is new since {version}", self.name),
            (part, None) => format!("the {} `{}` is new since {version}", part.as_str(), self.name),
        };
        let finding = rules.finding(code, message).at(Pointer::from_text(self.part.pointer()));
        Some(match Subject::parse(&self.name) {
            Some(subject) => finding.about(subject),
            None => finding,
        })
    }
}

/// Everything that changed, part by part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub before: PackageRef,
    pub after: PackageRef,
    pub rows: Vec<ChangeRow>,
}

type Named = BTreeMap<String, String>;

impl Difference {
    /// The difference of two submissions. What is told of code and blockers is what our own rules and facts give.
    #[must_use]
    pub fn between(before: &Checked<Submission>, after: &Checked<Submission>) -> Self {
        let rows = ChangedPart::ALL.iter().flat_map(|part| changes(*part, &named(*part, before), &named(*part, after)));
        let mut rows: Vec<ChangeRow> = rows.collect();
        let is_other_code = before.basis().package_artifact.files != after.basis().package_artifact.files;
        if let Some(name) = unknown_use(after).filter(|_| is_other_code || unknown_use(before).is_none()) {
            let row =
                ChangeRow { part: ChangedPart::Use, name: name.to_owned(), before: None, after: Some(String::new()) };
            rows.push(row);
            rows.sort_by_key(|row| row.part);
        }
        Self { before: before.basis().package(), after: after.basis().package(), rows }
    }

    /// What is gained, as findings of these rules on the new submission.
    #[must_use]
    pub fn findings(&self, rules: &Rules) -> Findings {
        let mut findings = Findings::of_package();
        findings.extend(self.rows.iter().filter_map(|row| row.finding(rules, &self.before)));
        findings
    }
}

fn changes(part: ChangedPart, before: &Named, after: &Named) -> Vec<ChangeRow> {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let row = |name: &String| ChangeRow {
        part,
        name: name.clone(),
        before: before.get(name).cloned(),
        after: after.get(name).cloned(),
    };
    names.into_iter().map(row).filter(|row| row.before != row.after).collect()
}

/// The things of one part by name, each with what may change beside its name.
fn named(part: ChangedPart, submission: &Checked<Submission>) -> Named {
    let basis = submission.basis();
    let manifest = &basis.package_artifact.manifest;
    let bare = |name: String| (name, String::new());
    match part {
        ChangedPart::Owner => {
            let publisher = &manifest.publisher;
            let text = |text: Option<String>| text.unwrap_or_default();
            [
                ("owner", basis.owner.id.to_string()),
                ("owner's name", basis.owner.name.to_string()),
                ("package", manifest.id.to_string()),
                ("publisher", publisher.id.to_string()),
                ("publisher's name", text(publisher.name.as_ref().map(ToString::to_string))),
                ("publisher's address", text(publisher.url.as_ref().map(ToString::to_string))),
            ]
            .map(|(name, value)| (name.to_owned(), value))
            .into()
        }
        ChangedPart::Permission => {
            let asked = manifest.permissions.iter();
            asked.map(|request| (request.permission.to_string(), request.purpose.to_string())).collect()
        }
        ChangedPart::Origin => manifest.network.allow.iter().map(ToString::to_string).map(bare).collect(),
        ChangedPart::Data => manifest.data_collection.iter().map(ToString::to_string).map(bare).collect(),
        ChangedPart::Use => used(submission).into_iter().map(bare).collect(),
        ChangedPart::Blocker => {
            let own = submission.packages().first().map(|package| package.blockers()).unwrap_or_default();
            own.iter()
                .map(|blocker| (blocker.code.to_string(), review::in_words(submission.rules(), blocker).0))
                .collect()
        }
        ChangedPart::Manifest => members(manifest),
        ChangedPart::File => {
            let files = basis.package_artifact.files.iter();
            files.map(|file| (file.path.to_string(), format!("{} {} bytes", file.digest, file.size.get()))).collect()
        }
    }
}

/// The members that other parts tell of.
const TOLD_ELSEWHERE: [&str; 5] = ["dataCollection", "id", "permissions", "publisher", "version"];

/// The other members of a manifest, each as it is written.
fn members(manifest: &Manifest) -> Named {
    let Ok(Value::Object(members)) = serde_json::to_value(manifest) else { return Named::new() };
    let others = members.into_iter().filter(|(name, _)| !TOLD_ELSEWHERE.contains(&name.as_str()));
    others.map(|(name, value)| (name, value.to_string())).collect()
}

/// The kinds of facts that are a use of something.
const USES: [&str; 4] = [CONTACT, DYNAMIC_CODE, POWER, REMOTE_CODE];

/// The origins, powers and ways to run text that code was seen to use.
fn used(submission: &Checked<Submission>) -> Vec<String> {
    let basis = submission.basis();
    let Ok(manifest) = tree::from_value(&basis.package_artifact.manifest) else { return Vec::new() };
    let package = Package::of_manifest(submission.rules(), &manifest).with_facts(Some(&basis.report.facts));
    let origins = AskedAndUsed::from_package(&package).map(|uses| uses.origins).unwrap_or_default();
    let origins = origins.into_iter().filter_map(|row| match row.seen {
        UseSeen::Used => Some(row.name),
        UseSeen::Computed => Some("a computed address".to_owned()),
        UseSeen::NotSeen | UseSeen::NotVisible => None,
    });
    let facts =
        basis.report.facts.iter().filter(|fact| USES.contains(&fact.kind.as_str()) && fact.kind.as_str() != CONTACT);
    origins.chain(facts.map(|fact| format!("{} {}", fact.kind.as_str(), fact.word.as_str()))).collect()
}

/// Why it cannot be told what the code uses, where it cannot.
fn unknown_use(submission: &Checked<Submission>) -> Option<&'static str> {
    let basis = submission.basis();
    if !submission.has_own_rules() {
        return Some("what the rules of another svc saw");
    }
    let Ok(manifest) = tree::from_value(&basis.package_artifact.manifest) else { return Some("what cannot be read") };
    let package = Package::of_manifest(submission.rules(), &manifest).with_facts(Some(&basis.report.facts));
    let is_incomplete = AskedAndUsed::from_package(&package).is_none_or(|uses| uses.incomplete);
    is_incomplete.then_some("code that was not read to its end, or has no room in the report")
}
