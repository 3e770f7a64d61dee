//! Where the current folder is in relation to the packages that are checked: a file inside one of them is the package's.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use svc_cli::files::{document::folder_of, read::Input};

/// Where the current folder is, as seen from the folder of a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Same,
    Inside,
    Outside,
}

impl Place {
    pub(crate) fn of_current_folder(package: &Path) -> Self {
        // A folder that cannot be found has no manifest either, and the run ends with that.
        let (Ok(package), Ok(current)) = (package.canonicalize(), Path::new(".").canonicalize()) else {
            return Self::Outside;
        };
        match current.strip_prefix(&package) {
            Ok(rest) if rest.as_os_str().is_empty() => Self::Same,
            Ok(_) => Self::Inside,
            Err(_) => Self::Outside,
        }
    }
}

/// The folders whose settings belong to the packages: those of the packages, and the current folder inside one of them.
pub(crate) fn own_folders(manifests: &[Input]) -> BTreeSet<PathBuf> {
    let mut folders = BTreeSet::new();
    for folder in manifests.iter().map(folder_of) {
        match Place::of_current_folder(&folder) {
            // The settings of the current folder are read already, as yours.
            Place::Same => {}
            Place::Inside => folders.extend([folder, PathBuf::new()]),
            Place::Outside => folders.extend([folder]),
        }
    }
    folders
}
