//! The members of `svc.toml`, and which file may set which.
//!
//! A file inside a package comes from whoever wrote the package. It can make a run stricter and nothing else: what is
//! checked, where output goes and who submits are decided by the command line or by the folder that you run svc in.

use std::path::Path;

use svc_core::manifest;

/// One member.
pub(crate) struct Member {
    pub(crate) name: &'static str,
    /// How it is written.
    pub(crate) example: &'static str,
    pub(crate) meaning: &'static str,
    pub(crate) reach: Reach,
}

/// Where a member takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// In the folder that you run svc in, unless that folder is itself a package.
    OutsidePackages,
    /// In the folder that you run svc in.
    CurrentFolder,
    /// Also in a package's own file, because it can only make a run stricter.
    Anywhere,
}

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The folder that svc runs in, which is no package.
    CurrentFolder,
    /// The folder that svc runs in, which is a package.
    CurrentPackage,
    /// A package that is checked, or a folder inside it.
    Package,
}

impl Origin {
    /// Whose file the current folder's is.
    pub(crate) fn of_current_folder() -> Self {
        match Path::new(manifest::FILE_NAME).symlink_metadata() {
            Ok(_) => Self::CurrentPackage,
            Err(_) => Self::CurrentFolder,
        }
    }
}

impl Reach {
    pub(crate) const ALL: [Self; 3] = [Self::OutsidePackages, Self::CurrentFolder, Self::Anywhere];

    /// Whether a member takes effect in such a file.
    pub(crate) const fn includes(self, origin: Origin) -> bool {
        match (self, origin) {
            (Self::Anywhere, Origin::CurrentFolder | Origin::CurrentPackage | Origin::Package)
            | (Self::CurrentFolder, Origin::CurrentFolder | Origin::CurrentPackage)
            | (Self::OutsidePackages, Origin::CurrentFolder) => true,
            (Self::CurrentFolder, Origin::Package)
            | (Self::OutsidePackages, Origin::CurrentPackage | Origin::Package) => false,
        }
    }

    /// For `svc explain settings`.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::OutsidePackages => "only in the current folder, and only if that is not a package itself",
            Self::CurrentFolder => "only in the current folder",
            Self::Anywhere => "also in a package's own svc.toml",
        }
    }
}

const fn member(name: &'static str, example: &'static str, meaning: &'static str, reach: Reach) -> Member {
    Member { name, example, meaning, reach }
}

/// Every member.
pub(crate) const MEMBERS: &[Member] = &[
    member(
        "packages",
        "packages = [\"app\", \"apps/*\"]",
        "the packages to check if you name none, into one index; `/*` means every package below",
        Reach::OutsidePackages,
    ),
    member("out-dir", "out-dir = \"svc-registry\"", "where the bundle is written", Reach::CurrentFolder),
    member("format", "format = \"concise\"", "the format of the report on the terminal", Reach::CurrentFolder),
    member(
        "reports",
        "reports = [\"sarif\", \"junit\"]",
        "more reports, each a file in `svc-reports` next to the settings",
        Reach::CurrentFolder,
    ),
    member("deny", "deny = [\"SVC-F010\"]", "rules whose findings fail the run", Reach::Anywhere),
    member("deny-warnings", "deny-warnings = true", "warnings fail the run", Reach::Anywhere),
    member("deny-blockers", "deny-blockers = true", "blockers that the author can clear fail the run", Reach::Anywhere),
    member("owner-id", "owner-id = \"acme\"", "the account that submits the package", Reach::CurrentFolder),
    member("owner-name", "owner-name = \"Acme Ltd\"", "the name of that account, for people", Reach::CurrentFolder),
    member(
        "visibility",
        "visibility = \"private\"",
        "who could see a listing, if there were one",
        Reach::CurrentFolder,
    ),
];
