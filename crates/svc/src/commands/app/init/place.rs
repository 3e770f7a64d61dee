//! The folder that is given: what is in it, and how files are put there, all or none.

use std::{
    ffi::OsStr,
    fs,
    io::{self, Write as _},
    path::Path,
};

use svc_cli::{
    failure::Failure,
    files::{
        kind::{FileKind, SpecialKind},
        open::{Root, entry::OpenFault},
        write::WriteError,
    },
};
use svc_core::{manifest, words::exit_code::ExitCode};

/// A path beneath the folder, and what is to stand there.
pub(super) type NewFile = (&'static str, Vec<u8>);

/// The schema, for the author's editor.
pub(super) const SCHEMA_FILE: &str = ".svc/app-manifest.schema.json";

/// What never belongs to a package that svc began.
pub(super) const IGNORE_LINES: &str =
    "# Patterns of files that stay out of the package, as in .gitignore.\n.svc/\nsvc-registry/\n";

/// What is in the folder.
pub(super) enum Place {
    /// Nothing, or it is not there.
    Empty,
    /// Somebody's work, held open.
    InUse(Root),
}

/// Looks at the folder. Nothing is made.
pub(super) fn look(folder: &Path) -> Result<Place, Failure> {
    if std::path::absolute(folder).is_ok_and(|whole| whole.file_name().is_none()) {
        let message = format!("{}: must be a folder with a name, and has none", folder.to_string_lossy());
        return Err(Failure::usage(message, "go into the folder and run `svc init` there, or give it by its name"));
    }
    match fs::symlink_metadata(folder) {
        Ok(found) if found.is_symlink() => {
            let message = format!("{}: must be a folder, and is a symbolic link", folder.to_string_lossy());
            return Err(Failure::usage(message, "links are not followed here: give the folder itself"));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Place::Empty),
        Ok(_) | Err(_) => {}
    }
    let root = Root::open_itself(folder).map_err(|error| cannot_open(folder, &error))?;
    if is_there(&root, manifest::FILE_NAME) {
        let message = format!("{}: must have no `{}` yet, and has one", folder.to_string_lossy(), manifest::FILE_NAME);
        return Err(Failure::usage(message, "nothing is overwritten here: run `svc check` to see what it lacks"));
    }
    let mut entries = root.folder().map_err(|_| cannot_open(folder, &io::ErrorKind::PermissionDenied.into()))?;
    let mut has_work = false;
    while let Some(entry) = entries.next_entry() {
        let entry = entry.map_err(|error| cannot_open(folder, &error))?;
        // A repository that was just begun is as good as empty.
        has_work |= ![".git", ".gitignore", ".gitattributes"].iter().any(|name| entry.name == *name);
    }
    Ok(if has_work { Place::InUse(root) } else { Place::Empty })
}

/// The folder, made if there is none, and held open: whatever its path leads to later, nothing is written elsewhere.
pub(super) fn make(folder: &Path) -> Result<Root, Failure> {
    fs::create_dir_all(folder)
        .and_then(|()| Root::open_itself(folder))
        .map_err(|error| failure(folder, "the folder cannot be made", &error))
}

/// Whether something bears the name right beneath the root, also a link that leads nowhere.
pub(super) fn is_there(root: &Root, name: &str) -> bool {
    !matches!(root.kind_of(OsStr::new(name)), Err(OpenFault::Missing))
}

/// Refuses an ignore file that is there and is none: what it leads to would say what the package is.
pub(super) fn require_plain_ignore_file(root: &Root) -> Result<(), Failure> {
    match root.kind_of(OsStr::new(manifest::IGNORE_FILE_NAME)) {
        Ok(FileKind::Regular) | Err(OpenFault::Missing) => Ok(()),
        Ok(FileKind::Folder) => Err(Failure::writing(manifest::IGNORE_FILE_NAME, &WriteError::IsDirectory)),
        Ok(FileKind::Special(kind)) => Err(Failure::writing(manifest::IGNORE_FILE_NAME, &WriteError::NotRegular(kind))),
        Err(OpenFault::Blocked) => {
            Err(Failure::writing(manifest::IGNORE_FILE_NAME, &WriteError::NotRegular(SpecialKind::Symlink)))
        }
        Err(OpenFault::Io(error)) => Err(Failure::writing(manifest::IGNORE_FILE_NAME, &error.into())),
    }
}

/// A path as it is shown: without the folder where that is the current one.
pub(super) fn shown(folder: &Path, path: &str) -> String {
    if folder == Path::new(".") { path.to_owned() } else { folder.join(path).to_string_lossy().into_owned() }
}

/// Writes every file where nothing was, or takes back what it wrote. No link is written through.
pub(super) fn write_all(root: &Root, files: &[NewFile]) -> Result<(), (&'static str, WriteError)> {
    let folders: Vec<&str> = files.iter().filter_map(|(path, _)| Some(path.rsplit_once('/')?.0)).collect();
    let made_folders: Vec<&str> = folders.into_iter().filter(|folder| !is_there(root, folder)).collect();
    for (count, (path, bytes)) in files.iter().enumerate() {
        let Err(error) = write_new(root, path, bytes) else { continue };
        for (path, _) in files.iter().take(count).rev() {
            let _ = root.remove_file(path);
        }
        for folder in made_folders.iter().rev() {
            let _ = root.remove_folder(folder);
        }
        return Err((path, error));
    }
    Ok(())
}

/// Nothing that is there already is replaced. A file that could not be filled is taken away again.
fn write_new(root: &Root, path: &str, bytes: &[u8]) -> Result<(), WriteError> {
    let mut file = root.create(path).map_err(|fault| match fault {
        OpenFault::Missing => io::Error::from(io::ErrorKind::NotFound).into(),
        OpenFault::Blocked => WriteError::NotRegular(special_above(root, path)),
        OpenFault::Io(error) => error.into(),
    })?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(|error| {
        let _ = root.remove_file(path);
        error.into()
    })
}

/// What stands in the way of a path: a link, unless something else is seen there.
fn special_above(root: &Root, path: &str) -> SpecialKind {
    let first = path.split('/').next().unwrap_or(path);
    match root.kind_of(OsStr::new(first)) {
        Ok(FileKind::Special(kind)) => kind,
        Ok(FileKind::Regular | FileKind::Folder) | Err(_) => SpecialKind::Symlink,
    }
}

fn cannot_open(folder: &Path, error: &io::Error) -> Failure {
    failure(folder, "the folder cannot be opened", error)
}

fn failure(folder: &Path, what: &str, error: &io::Error) -> Failure {
    let message = format!("{}: {what}: {error}", folder.to_string_lossy());
    let help = Some("check the permissions of the folder and of the one above it, or give another folder".to_owned());
    Failure { exit: ExitCode::InputOutput, message, help }
}
