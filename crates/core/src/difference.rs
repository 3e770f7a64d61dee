//! What changed between two versions of a package, as two submissions that hold tell it.

use std::collections::{BTreeMap, BTreeSet};

use svc_json::{pointer::Pointer, tree};

use crate::{
    artifact::{about_package::AboutPackage as _, checked::Checked, submission::Submission},
    finding::Finding,
    manifest::vocabulary::{DataCollection, Permission, Risk},
    review,
    rules::{
        asked_and_used::{AskedAndUsed, UseSeen},
        changes,
        package::Package,
    },
    scalar::{ident::PackageRef, subject::Subject},
    words::rule::Rule,
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
    File,
}

impl ChangedPart {
    /// Every part, in the order in which changes are told.
    pub const ALL: &'static [Self] =
        &[Self::Owner, Self::Permission, Self::Origin, Self::Data, Self::Use, Self::Blocker, Self::File];

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
            Self::File => "file",
        }
    }

    /// The rule on what is gained, where there is one.
    fn rule(self) -> Option<&'static Rule> {
        match self {
            Self::Owner => Some(&changes::D006),
            Self::Permission => Some(&changes::D001),
            Self::Origin => Some(&changes::D002),
            Self::Data => Some(&changes::D003),
            Self::Use => Some(&changes::D004),
            Self::Blocker => Some(&changes::D005),
            Self::File => None,
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
            ChangedPart::File => false,
        }
    }

    /// The finding on what is gained.
    fn finding(&self, before: &PackageRef) -> Option<Finding> {
        let rule = self.part.rule().filter(|_| self.is_gained())?;
        let PackageRef { version, .. } = before;
        let message = match (self.part, self.risk()) {
            (ChangedPart::Owner, _) => format!("the {} is another one than that of {version}", self.name),
            (_, Some(risk)) => format!("the permission `{}` ({risk} risk) is new since {version}", self.name),
            (part, None) => format!("the {} `{}` is new since {version}", part.as_str(), self.name),
        };
        let finding = Finding::new(rule, message).at(Pointer::from_text(self.part.pointer()));
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
        Self { before: before.basis().package(), after: after.basis().package(), rows: rows.collect() }
    }

    /// What is gained, as findings on the new submission.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        self.rows.iter().filter_map(|row| row.finding(&self.before)).collect()
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
            [("owner", basis.owner.id.to_string()), ("publisher", publisher.id.to_string())]
                .map(|(name, id)| (name.to_owned(), id))
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
            own.iter().map(|blocker| (blocker.code.to_string(), review::in_words(blocker).0)).collect()
        }
        ChangedPart::File => {
            let files = basis.package_artifact.files.iter();
            files.map(|file| (file.path.to_string(), format!("{} {} bytes", file.digest, file.size.get()))).collect()
        }
    }
}

/// The powers and origins that code was seen to use.
fn used(submission: &Checked<Submission>) -> Vec<String> {
    let basis = submission.basis();
    let Ok(manifest) = tree::of(&basis.package_artifact.manifest) else { return Vec::new() };
    let package = Package::of_manifest(&manifest).with_facts(Some(&basis.report.facts));
    let Some(uses) = AskedAndUsed::of(&package) else { return Vec::new() };
    let rows = uses.permissions.into_iter().chain(uses.origins);
    let rows = rows.filter(|row| matches!(row.seen, UseSeen::Used | UseSeen::Computed));
    rows.map(|row| if row.seen == UseSeen::Computed { "a computed address".to_owned() } else { row.name }).collect()
}
