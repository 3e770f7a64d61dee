//! The files that a run would write, compared with everything that it reads and with each other, before anything is done.
//!
//! A report that replaced its own subject would turn a run into data loss, and one that cannot be written must not be
//! noticed after a bundle was written or sent.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use clap::ArgMatches;
use svc_cli::rules::rules;
use svc_cli::{
    arguments::texts,
    command_line::innermost,
    failure::Failure,
    files::{
        document::{DocumentSource, read_document},
        folder_swap::answers_beside,
        read::Input,
        write::{is_same_file, require_writable},
    },
    output::format::Target,
};
use svc_core::{
    manifest, pack,
    words::{kind, limits},
};
use svc_json::tree;

use crate::{
    named::{BUNDLE_FOLDER, Named},
    package, settings,
    tree::{ignore_file::IGNORE_FILE, walk::Fate},
};

const OUT: &str = "out";
const OUT_DIR: &str = "out-dir";

/// Refuses reports that would replace what the run reads or writes, and those that cannot be written.
pub(crate) fn require(
    matches: &ArgMatches,
    targets: &[Target],
    wished: Option<&settings::Settings>,
) -> Result<(), Failure> {
    let run = RunPaths::from_arguments(matches, wished);
    let reports: Vec<&PathBuf> = targets.iter().filter_map(|target| target.file.as_ref()).collect();
    for (at, report) in reports.iter().enumerate() {
        let is_twice = reports.iter().take(at).any(|other| place_of(other) == place_of(report));
        let fault = if is_twice { Some("another report goes to the same file") } else { run.fault(report) };
        if let Some(fault) = fault {
            let message = format!("{}: must not be the file of a report: {fault}", report.to_string_lossy());
            return Err(Failure::usage(message, "give another file with --format F=FILE"));
        }
    }
    if let Some(out) = run.out_files.iter().find(|out| run.is_kept_answer(out)) {
        let message = format!("{}: must not be the output: {ANSWERS}", out.to_string_lossy());
        return Err(Failure::usage(message, "give another file with --out"));
    }
    // The folder that settings name is made later, where it is missing.
    let given = reports.iter().filter(|_| has_format(matches));
    for report in given {
        require_writable(report).map_err(|error| Failure::writing(&report.to_string_lossy(), &error))?;
    }
    Ok(())
}

/// Whether formats were asked for on the command line.
fn has_format(matches: &ArgMatches) -> bool {
    !texts(innermost(matches).1, "format").is_empty()
}

const ANSWERS: &str = "the folder keeps what registries answered";
const INPUT: &str = "the run reads it";
const OUTPUT: &str = "the run writes there";
const OF_PACKAGE: &str = "it is a file of the package";
const OF_BUNDLE: &str = "it is an artifact of the bundle";

/// What a run reads and writes, apart from its reports.
struct RunPaths {
    files: Vec<PathBuf>,
    packages: Vec<PathBuf>,
    bundles: Vec<PathBuf>,
    /// Folders of which nothing more is known, such as a log: every file in them may be read.
    folders: Vec<PathBuf>,
    out_files: Vec<PathBuf>,
    out_folders: Vec<PathBuf>,
}

impl RunPaths {
    fn from_arguments(matches: &ArgMatches, wished: Option<&settings::Settings>) -> Self {
        let mut paths = Self {
            files: vec![PathBuf::from(settings::FILE_NAME)],
            packages: Vec::new(),
            bundles: Vec::new(),
            folders: Vec::new(),
            out_files: Vec::new(),
            out_folders: Vec::new(),
        };
        let (names, arguments) = innermost(matches);
        let command = names.last().copied().unwrap_or_default();
        let is_preflight = ["preflight", "check"].contains(&command);
        for (name, path) in given_paths(arguments) {
            match name.as_str() {
                OUT if command == "export" => paths.out_folders.push(path),
                OUT => paths.out_files.push(path),
                OUT_DIR => paths.out_folders.push(path),
                _ if command == "init" && path.is_dir() => paths.out_folders.push(path),
                _ => paths.add_input(path),
            }
        }
        if is_preflight && paths.out_folders.is_empty() {
            let wished = wished.and_then(|wished| wished.out_dir.clone());
            paths.out_folders.push(wished.unwrap_or_else(|| PathBuf::from(BUNDLE_FOLDER)));
        }
        let names_none = !given_paths(arguments).iter().any(|(name, _)| ["package", "bundle"].contains(&name.as_str()));
        if names_none && (is_preflight || ["files", "submit"].contains(&command)) {
            paths.add_input(PathBuf::from("."));
        }
        for manifest in wished.iter().flat_map(|wished| &wished.packages) {
            paths.add_input(manifest.clone());
        }
        let bundles: Vec<PathBuf> = paths.bundles.iter().chain(&paths.out_folders).cloned().collect();
        paths.bundles = bundles;
        paths
    }

    fn add_input(&mut self, path: PathBuf) {
        if !path.is_dir() {
            if is_manifest(&path) {
                self.packages.push(path.clone());
            }
            return self.files.push(path);
        }
        match Named::resolve(Input::Path(path.clone())) {
            Ok(Named::Package { folder, bundle }) => {
                self.packages.push(folder.join(manifest::FILE_NAME));
                self.bundles.extend(bundle);
            }
            Ok(Named::Bundle(folder)) => self.bundles.push(folder),
            // A current folder without a package, or a folder that the command explains better.
            Ok(Named::Document(_)) => {}
            Err(_) if path == Path::new(".") => {}
            Err(_) => self.folders.push(path),
        }
    }

    /// Why a report must not go to this path.
    fn fault(&self, report: &Path) -> Option<&'static str> {
        let place = place_of(report);
        let is_same = |other: &PathBuf| place_of(other) == place || is_same_file(other, report);
        let is_in = |folder: &PathBuf| place.starts_with(place_of(folder)) && place != place_of(folder);
        if self.files.iter().any(is_same) {
            return Some(INPUT);
        }
        if self.out_files.iter().any(is_same) || self.out_folders.iter().any(is_in) {
            return Some(OUTPUT);
        }
        if self.is_kept_answer(report) {
            return Some(ANSWERS);
        }
        let is_artifact = kind::ALL.iter().any(|spec| place.file_name().is_some_and(|name| name == spec.file));
        if is_artifact && self.bundles.iter().any(is_in) {
            return Some(OF_BUNDLE);
        }
        if report.exists() && self.folders.iter().any(is_in) {
            return Some(INPUT);
        }
        self.packages.iter().any(|manifest| is_of_package(manifest, &place)).then_some(OF_PACKAGE)
    }

    fn is_kept_answer(&self, path: &Path) -> bool {
        let place = place_of(path);
        self.bundles.iter().filter_map(|bundle| answers_beside(bundle)).any(|kept| place.starts_with(place_of(&kept)))
    }
}

/// The names of the commands, and the arguments of the last one.
/// Every path among the arguments, with the name of its argument. `-` is a stream.
fn given_paths(arguments: &ArgMatches) -> Vec<(String, PathBuf)> {
    let names = arguments.ids().map(|id| id.as_str().to_owned());
    let paths = names.flat_map(|name| {
        let given = arguments.try_get_many::<OsString>(&name).ok().flatten().unwrap_or_default();
        given.map(|path| (name.clone(), PathBuf::from(path))).collect::<Vec<_>>()
    });
    paths.filter(|(_, path)| path != Path::new("-")).collect()
}

/// Whether a file is the manifest of a package: by its name, or as `svc app validate` would take it.
fn is_manifest(path: &Path) -> bool {
    if path.ends_with(manifest::FILE_NAME) {
        return true;
    }
    let Ok(bytes) = read_document(&Input::Path(path.to_owned()), limits::MANIFEST_BYTES as u64) else { return false };
    tree::read(&bytes).is_ok_and(|document| document.root.get("kind").is_none())
}

/// Whether a path is a file of this manifest's package, or one that says what the package is.
fn is_of_package(manifest: &Path, place: &Path) -> bool {
    let input = Input::Path(manifest.to_owned());
    let folder = place_of(&svc_cli::files::document::folder_of(&input));
    let Some(path) = place.strip_prefix(&folder).ok().and_then(Path::to_str) else { return false };
    if [manifest::FILE_NAME, IGNORE_FILE, settings::FILE_NAME].contains(&path) || place == place_of(manifest) {
        return true;
    }
    let read = DocumentSource::open(&input).and_then(|source| {
        let bytes = source.read(limits::MANIFEST_BYTES as u64)?;
        Ok((source, bytes))
    });
    let Ok((source, bytes)) = read else { return false };
    let told = pack::read_manifest(rules(), &bytes).and_then(|draft| package::list_paths(&source, &draft, &[]));
    told.is_ok_and(|told| told.iter().any(|one| one.path == path && matches!(one.fate, Fate::Taken(_) | Fate::Own)))
}

/// A path without links and dots, also where it does not exist yet.
fn place_of(path: &Path) -> PathBuf {
    if let Ok(whole) = fs::canonicalize(path) {
        return whole;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) if parent.as_os_str().is_empty() => place_of(Path::new(".")).join(name),
        (Some(parent), Some(name)) => place_of(parent).join(name),
        _ => path.to_owned(),
    }
}
