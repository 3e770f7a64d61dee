//! What an argument names: a document, the folder of a package, or the folder of a bundle.
//!
//! A folder stands for the document in it that the command is about. Which one that is never hangs on what a document says.

use std::{
    fs,
    path::{Path, PathBuf},
};

use svc_cli::{
    failure::Failure,
    files::{folder_swap::is_collection, read::Input},
};
use svc_core::{
    manifest,
    words::{
        exit_code::ExitCode,
        kind::{self, ArtifactSpec},
    },
};

/// The folder that `svc app preflight` writes where no other is given.
pub(crate) const BUNDLE_FOLDER: &str = "svc-registry";

#[derive(Debug)]
pub(crate) enum Named {
    Document(Input),
    /// A package's folder, and the bundle in it where there is one.
    Package {
        folder: PathBuf,
        bundle: Option<PathBuf>,
    },
    Bundle(PathBuf),
}

impl Named {
    /// What an argument names. A folder with neither a manifest nor an artifact is a mistake.
    pub(crate) fn resolve(input: Input) -> Result<Self, Failure> {
        let folder = match input {
            // What bears the manifest's name is the manifest, also when it is a link to a folder, which is then refused.
            Input::Path(path) if path.is_dir() && !path.ends_with(manifest::FILE_NAME) => path,
            document @ (Input::Stdin | Input::Path(_)) => return Ok(Self::Document(document)),
        };
        if is_there(&folder.join(manifest::FILE_NAME)) {
            let bundle = [folder.join(BUNDLE_FOLDER), folder.clone()].into_iter().find(|bundle| has_artifact(bundle));
            return Ok(Self::Package { folder, bundle });
        }
        if has_artifact(&folder) {
            return Ok(Self::Bundle(folder));
        }
        let message = format!(
            "{}: must hold a manifest (`{}`) or a bundle, and holds neither",
            folder.to_string_lossy(),
            manifest::FILE_NAME
        );
        let help = "run `svc init` in the folder, or give another one".to_owned();
        Err(Failure { exit: ExitCode::InputOutput, message, help: Some(help) })
    }

    /// Every document that it names: of a bundle, the artifacts that are there.
    pub(crate) fn documents(self) -> Vec<Input> {
        match self {
            Self::Document(input) => vec![input],
            Self::Package { folder, .. } => vec![Input::Path(folder.join(manifest::FILE_NAME))],
            Self::Bundle(folder) if is_collection(&folder) => {
                let bundles = folders_in(&folder);
                std::iter::once(&folder).chain(&bundles).flat_map(|folder| artifacts_in(folder)).collect()
            }
            Self::Bundle(folder) => artifacts_in(&folder),
        }
    }

    /// The manifest. A document is taken as it was given.
    pub(crate) fn manifest(self) -> Input {
        match self {
            Self::Document(input) => input,
            Self::Package { folder, .. } | Self::Bundle(folder) => Input::Path(folder.join(manifest::FILE_NAME)),
        }
    }

    /// The artifact of one kind. A document is taken as it was given.
    pub(crate) fn artifact(self, spec: &ArtifactSpec) -> Result<Input, Failure> {
        match self {
            Self::Document(input) => Ok(input),
            Self::Bundle(folder) | Self::Package { bundle: Some(folder), .. }
                if is_collection(&folder) && spec.kind != kind::INDEX.kind =>
            {
                Err(several(&folder))
            }
            Self::Bundle(folder) | Self::Package { bundle: Some(folder), .. } => {
                Ok(Input::Path(folder.join(spec.file)))
            }
            Self::Package { folder, bundle: None } => {
                let message = format!("{}: the package has no bundle yet", folder.to_string_lossy());
                let help = "run `svc app preflight` in it first, or give the folder of its bundle".to_owned();
                Err(Failure { exit: ExitCode::InputOutput, message, help: Some(help) })
            }
        }
    }

    /// The folder of the bundle.
    pub(crate) fn bundle(self) -> Result<PathBuf, Failure> {
        match self {
            Self::Bundle(folder) | Self::Package { bundle: Some(folder), .. } if is_collection(&folder) => {
                Err(several(&folder))
            }
            Self::Bundle(folder) | Self::Package { bundle: Some(folder), .. } => Ok(folder),
            Self::Document(input) => Err(Failure {
                exit: ExitCode::InputOutput,
                message: format!("{}: must be the folder of a bundle, and is none", input.label()),
                help: Some("give the folder that `svc app preflight` wrote".to_owned()),
            }),
            package @ Self::Package { .. } => package.artifact(&kind::SUBMISSION).map(|_| PathBuf::new()),
        }
    }
}

fn several(folder: &Path) -> Failure {
    Failure {
        exit: ExitCode::InputOutput,
        message: format!("{}: holds the bundles of several packages", folder.to_string_lossy()),
        help: Some("give the folder of one of them: each bears the id of its package".to_owned()),
    }
}

fn artifacts_in(folder: &Path) -> Vec<Input> {
    let files = kind::ALL.iter().map(|spec| folder.join(spec.file));
    files.filter(|path| is_there(path)).map(Input::Path).collect()
}

/// The folders in a folder of several bundles, in order of name.
pub(crate) fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut folders: Vec<PathBuf> = folders.map(|entry| entry.path()).collect();
    folders.sort();
    folders
}

fn has_artifact(folder: &Path) -> bool {
    kind::ALL.iter().any(|spec| is_there(&folder.join(spec.file)))
}

/// Also a link that leads nowhere: whoever reads it says what is wrong with it.
fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
