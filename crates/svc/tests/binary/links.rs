//! Links in place of the documents of a package: refused by name on every command that reads one, and not one byte of what
//! they lead to is shown. A link costs an author of a package nothing, and the log of a build is often public.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use rustix::fs::{CWD, RenameFlags};
use svc_core::words::kind;
use tempfile::TempDir;

use crate::{
    bundle::{Bundle, Package},
    folder::{self, untouched},
    svc::{Run, Svc, app, svc},
};

/// Stands in the environment, in a file outside of the package, and in one inside of it.
const SECRET: &str = "tell-no-log-of-this";

/// A package beside a secret, whose manifest is about to become a link.
struct Trap {
    package: Package,
    bundle: Bundle,
    /// Where commands are run, and may write.
    workplace: TempDir,
}

impl Trap {
    fn new() -> Self {
        let trap = Self { package: Package::new("weather-board"), bundle: Bundle::new(), workplace: folder::empty() };
        let secret = format!("{{\"id\": \"{SECRET}\"}}\n");
        fs::write(trap.package.root().join("../secret.json"), &secret).unwrap();
        trap.package.write("inner/secret.json", secret.as_bytes());
        symlink("inner", trap.package.root().join("linked")).unwrap();
        trap
    }

    /// Every command that reads a manifest.
    fn commands(&self) -> Vec<Svc> {
        let (root, manifest) = (self.package.root(), self.package.manifest());
        vec![
            app(["pack"]).args([&manifest]),
            app(["validate"]).args([&manifest]),
            app(["validate", "--fix"]).args([&manifest]),
            app(["validate", "--fix", "--dry-run"]).args([&manifest]),
            app(["preflight"]).args([&root]),
            app(["preflight"]).args([&manifest]),
            app(["preflight", "--check"]).args([&root]),
            app(["verify"]).args([self.bundle.folder(), Path::new("--package"), &root]),
            app(["files"]).args([&root]),
            app(["inspect"]).args([&manifest]),
            svc(["lifecycle"]).args([&manifest]),
        ]
    }

    fn runs(&self) -> Vec<Run> {
        let run = |command: Svc| command.in_folder(self.workplace.path()).env("SVC_TEST_SECRET", SECRET).run();
        self.commands().into_iter().map(run).collect()
    }

    fn link_manifest_to(&self, target: &str) {
        let _ = fs::remove_file(self.package.manifest());
        symlink(target, self.package.manifest()).unwrap();
    }
}

#[track_caller]
fn shows_no_secret(run: &Run) {
    assert!(!run.out().contains(SECRET) && !run.err().contains(SECRET), "{}{}", run.out(), run.err());
}

#[test]
fn a_manifest_that_is_a_link_is_refused_by_name_on_every_command() {
    let trap = Trap::new();
    for target in [
        "/proc/self/environ",
        "../secret.json",
        "inner/secret.json",
        "linked/secret.json",
        "nowhere.json",
        "svc-app.json",
        "inner",
        "/dev/zero",
    ] {
        trap.link_manifest_to(target);
        let runs = untouched(trap.workplace.path(), || untouched(&trap.package.root(), || trap.runs()));
        for run in runs {
            let run = run.with(target);
            shows_no_secret(&run);
            run.stops(3, "svc-app.json", "is a symbolic link").reports(&["links are not followed here"]);
        }
    }
}

#[test]
fn an_ignore_file_that_is_a_link_is_refused_by_name() {
    let trap = Trap::new();
    symlink("/proc/self/environ", trap.package.root().join(".svcignore")).unwrap_or_else(|_| {
        fs::remove_file(trap.package.root().join(".svcignore")).unwrap();
        symlink("/proc/self/environ", trap.package.root().join(".svcignore")).unwrap();
    });
    for run in trap.runs().iter().take(2) {
        shows_no_secret(run);
        run.refuses(1, "SVC-F014", ".svcignore").reports(&["a symbolic link"]);
    }
}

/// The seven files stand for a package too, and often lie in its folder.
#[test]
fn an_artifact_that_is_a_link_is_refused_by_name() {
    for spec in kind::ALL {
        let bundle = Bundle::new();
        let (path, workplace) = (bundle.path(spec), folder::empty());
        fs::remove_file(&path).unwrap();
        symlink("/proc/self/environ", &path).unwrap();
        let mut commands = vec![
            app(["verify"]).args([bundle.folder()]),
            app(["validate"]).args([&path]),
            app(["inspect"]).args([&path]),
            svc(["lifecycle"]).args([&path]),
            svc(["verify", "hosted", "http://127.0.0.1:9", "--artifact-dir"]).args([bundle.folder()]),
        ];
        commands.extend(spec.check.map(|check| app([check.name]).args([&path])));
        let reads = crate::commands::thirteen()
            .into_iter()
            .filter(|command| command.reads.is_some_and(|read| read.kind == spec.kind));
        commands.extend(reads.map(|command| app([command.name]).args([&path])));
        for command in commands {
            let run = command.in_folder(workplace.path()).env("SVC_TEST_SECRET", SECRET).run().with(spec.name);
            shows_no_secret(&run);
            run.stops(3, spec.file, "is a symbolic link");
        }
        assert!(folder::contents(workplace.path()).is_empty());
    }
}

/// Annotations name the link, not what it leads to: that could be an innocent file, or say where something is.
#[test]
fn every_format_names_the_link_and_not_its_target() {
    let trap = Trap::new();
    let root = trap.package.root();
    fs::create_dir(root.join("../elsewhere")).unwrap();
    fs::write(root.join("../elsewhere/target.js"), "x").unwrap();
    for target in ["../../elsewhere/target.js", "/proc/self/cwd", "nowhere", "."] {
        let link = root.join("dist/link.js");
        let _ = fs::remove_file(&link);
        symlink(target, &link).unwrap();
        for format in ["human", "concise", "json", "sarif", "junit", "github"] {
            let run = app(["validate", "package/svc-app.json", "--format", format]).in_folder(&root.join("..")).run();
            let told = format!("{}{}", run.out(), run.err());
            let named = if format == "human" || format == "json" { "dist/link.js" } else { "package/dist/link.js" };
            assert!(told.contains(named) && !told.contains("target.js"), "{format} {target}: {told}");
        }
    }
}

#[test]
fn init_writes_through_no_link() {
    for target in ["elsewhere", "nowhere"] {
        let place = folder::empty();
        fs::create_dir(place.path().join("elsewhere")).unwrap();
        symlink(target, place.path().join("board")).unwrap();
        let run = untouched(place.path(), || app(["init", "board"]).in_folder(place.path()).run());
        run.stops(2, "board", "is a symbolic link").reports(&["give the folder itself"]);
    }
}

/// A folder that becomes a link while the scaffold is being written: everything lands in the folder that was empty.
#[test]
fn a_folder_swapped_while_init_writes_takes_nothing_elsewhere() {
    let place = folder::empty();
    let (board, aside, victim) = (place.path().join("board"), place.path().join("aside"), place.path().join("victim"));
    folder::copy(&crate::bundle::example("minimal"), &victim);
    symlink(&victim, &aside).unwrap();
    for _ in 0..20 {
        let _ = fs::remove_dir_all(&board);
        fs::create_dir(&board).unwrap();
        untouched(&victim, || while_swapping(&board, &aside, || app(["init"]).args([&board]).run()));
        let came_back = fs::symlink_metadata(&board).unwrap().is_dir();
        assert!(came_back, "an even number of swaps");
    }
}

#[test]
fn a_manifest_swapped_for_a_link_while_it_is_read_shows_nothing_of_the_target() {
    let trap = Trap::new();
    let aside: PathBuf = trap.package.root().join("aside.json");
    // Its one line would be shown by any finding.
    symlink("../secret.json", &aside).unwrap();
    let (mut read, mut refused) = (0, 0);
    for _ in 0..60 {
        let manifest = trap.package.manifest();
        let run = while_swapping(&manifest, &aside, || {
            app(["validate"]).args([&manifest]).env("SVC_TEST_SECRET", SECRET).run()
        });
        shows_no_secret(&run);
        match run.code() {
            Some(0 | 1) => read += 1,
            Some(3) => refused += 1,
            code => panic!("exit code {code:?}: {}", run.err()),
        }
    }
    assert!(read + refused == 60);
}

/// Exchanges two names again and again during a run, an even number of times.
fn while_swapping<T>(one: &Path, other: &Path, run: impl FnOnce() -> T) -> T {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                for _ in 0..2 {
                    rustix::fs::renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
                }
            }
        });
        let result = run();
        done.store(true, Ordering::Relaxed);
        result
    })
}
