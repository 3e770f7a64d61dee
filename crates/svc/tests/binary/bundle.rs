//! Bundles of the examples, made once by the binary and copied for every test.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use serde_json::Value;
use svc_core::words::kind::{self, ArtifactSpec};
use tempfile::TempDir;

use crate::{
    commands, folder,
    svc::{Run, app},
};

/// The bytes of the seven files, by name.
pub(crate) type Files = BTreeMap<&'static str, Vec<u8>>;

/// A folder with the seven files.
pub(crate) struct Bundle {
    folder: TempDir,
}

impl Bundle {
    /// Of the large example.
    pub(crate) fn new() -> Self {
        Self::from_files(weather_board())
    }

    pub(crate) fn from_files(files: &Files) -> Self {
        let bundle = Self { folder: folder::empty() };
        for (name, bytes) in files {
            fs::write(bundle.folder().join(name), bytes).unwrap();
        }
        bundle
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn path(&self, spec: &ArtifactSpec) -> PathBuf {
        self.folder().join(spec.file)
    }

    pub(crate) fn write(&self, spec: &ArtifactSpec, bytes: &[u8]) {
        fs::write(self.path(spec), bytes).unwrap();
    }

    /// `svc app verify` on the folder, which must leave it alone.
    pub(crate) fn verify(&self, options: &[&str]) -> Run {
        let run = || app(["verify"]).args([self.folder()]).args(options).run();
        folder::untouched(self.folder(), run)
    }
}

pub(crate) fn weather_board() -> &'static Files {
    static FILES: OnceLock<Files> = OnceLock::new();
    FILES.get_or_init(|| make(&example("weather-board")))
}

pub(crate) fn minimal() -> &'static Files {
    static FILES: OnceLock<Files> = OnceLock::new();
    FILES.get_or_init(|| make(&example("minimal")))
}

/// An index of both examples.
pub(crate) fn index_of_two() -> &'static [u8] {
    static INDEX: OnceLock<Vec<u8>> = OnceLock::new();
    INDEX.get_or_init(|| {
        let (one, two) = (Bundle::from_files(weather_board()), Bundle::from_files(minimal()));
        let submission = &svc_core::words::kind::SUBMISSION;
        let run = app(["registry", "--out", "-"]).args([one.path(submission), two.path(submission)]).run();
        run.exits(0);
        run.stdout
    })
}

/// The thirteen commands on a package. The manifest is read where it lies; everything else goes to a new folder.
pub(crate) fn make(package: &Path) -> Files {
    let folder = folder::empty();
    for command in commands::thirteen() {
        let input = command.reads.map_or_else(|| package.join("svc-app.json"), |spec| spec.file.into());
        app([command.name]).args([input]).in_folder(folder.path()).run().exits(0);
    }
    kind::ALL.iter().map(|spec| (spec.file, fs::read(folder.path().join(spec.file)).unwrap())).collect()
}

pub(crate) fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}

pub(crate) fn example(name: &str) -> PathBuf {
    let root = fs::canonicalize(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap();
    root.join("examples").join(name)
}

/// A copy of an example that a test may change.
pub(crate) struct Package {
    folder: TempDir,
}

impl Package {
    pub(crate) fn new(name: &str) -> Self {
        let folder = folder::empty();
        folder::copy(&example(name), &folder.path().join("package"));
        Self { folder }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("package")
    }

    pub(crate) fn manifest(&self) -> PathBuf {
        self.root().join("svc-app.json")
    }

    pub(crate) fn change_manifest(&self, change: impl FnOnce(&mut Value)) {
        let mut manifest = json(&fs::read(self.manifest()).unwrap());
        change(&mut manifest);
        fs::write(self.manifest(), serde_json::to_vec_pretty(&manifest).unwrap()).unwrap();
    }

    /// A file of the package, its folders made.
    pub(crate) fn write(&self, path: impl AsRef<Path>, bytes: &[u8]) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// `svc app pack` into a folder of its own, and the submission's bytes if there is one.
    pub(crate) fn pack(&self) -> (Run, Option<Vec<u8>>) {
        let out = folder::empty();
        let file = out.path().join("out.json");
        let run = app(["pack"]).args([self.manifest()]).args(["--out"]).args([&file]).run();
        let written = folder::contents(out.path());
        assert!(written.keys().all(|path| path == Path::new("out.json")), "{:?}", written.keys());
        (run, written.into_values().next())
    }

    /// `svc app pack`, which must refuse, write nothing and leave the package alone.
    #[track_caller]
    pub(crate) fn is_refused(&self) -> Run {
        let (run, written) = self.pack();
        assert!(written.is_none(), "a refused package was written: {}", run.err());
        run
    }
}
