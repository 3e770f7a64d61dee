//! Bad outputs, for every command that writes: the right exit code, the old file as it was, nothing left behind.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process,
};

use rustix::fs::{CWD, Mode};

use crate::{
    bundle::{Bundle, Package},
    commands::{Command, makers},
    folder::{self, set_mode, untouched},
    inputs::binary_for_everybody,
    svc::{Run, SVC, Svc, app},
};

/// Each maker with a good input and `--out out`, in a folder that must stay as it is.
fn each(folder: &Path, out: &str, check: impl Fn(&Command, Run)) {
    let bundle = Bundle::new();
    for command in makers() {
        let run = || {
            let maker = app([command.name]).args([command.good_input(&bundle)]);
            maker.args(["--out", out]).in_folder(folder).run()
        };
        let run = untouched(bundle.folder(), || untouched(folder, run));
        check(&command, run);
    }
}

#[test]
fn an_output_that_is_the_input_is_refused_by_any_name() {
    for command in makers() {
        let bundle = Bundle::new();
        let input = bundle.folder().join("input.json");
        fs::copy(command.good_input(&bundle), &input).unwrap();
        fs::hard_link(&input, bundle.folder().join("hard.json")).unwrap();
        symlink("input.json", bundle.folder().join("soft.json")).unwrap();
        fs::create_dir(bundle.folder().join("inner")).unwrap();
        let absolute = input.to_str().unwrap().to_owned();
        for out in ["input.json", "./input.json", "inner/../input.json", "hard.json", "soft.json", &absolute] {
            let run = || app([command.name, "input.json", "--out", out]).in_folder(bundle.folder()).run();
            untouched(bundle.folder(), run).stops(2, "must not be the file that is read", "--out");
        }
    }
    // Any of several inputs.
    let bundle = Bundle::new();
    let submission = "svc-registry-submission.json";
    fs::copy(bundle.folder().join(submission), bundle.folder().join("second.json")).unwrap();
    let run = || app(["registry", submission, "second.json", "--out", "second.json"]).in_folder(bundle.folder()).run();
    untouched(bundle.folder(), run).stops(2, "must not be the file that is read", "--out");
}

#[test]
fn an_output_that_is_a_file_of_the_package_is_refused() {
    let package = Package::new("minimal");
    for file in ["README.md", "index.html", "icon.png"] {
        let run = || app(["pack", "svc-app.json", "--out", file]).in_folder(&package.root()).run();
        untouched(&package.root(), run).stops(2, file, "--out");
    }
    // Its own output of the last run is no such file, by whatever name.
    package.change_manifest(|manifest| manifest["files"] = serde_json::json!(["**"]));
    for _ in 0..2 {
        app(["pack", "svc-app.json", "--out", "last-run.json"]).in_folder(&package.root()).run().exits(0);
    }
}

#[test]
fn a_folder_is_never_an_output() {
    let folder = folder::empty();
    fs::create_dir_all(folder.path().join("inner/full")).unwrap();
    for (out, words) in [
        ("inner", "is a folder"),
        ("inner/", "does not end in a file name"),
        (".", "does not end in a file name"),
        ("..", "does not end in a file name"),
        ("", "does not end in a file name"),
        ("/", "does not end in a file name"),
    ] {
        each(folder.path(), out, |_, run| {
            run.stops(3, out, words);
        });
    }
}

#[test]
fn a_link_a_pipe_and_a_device_are_neither_followed_nor_replaced() {
    let folder = folder::empty();
    fs::write(folder.path().join("precious.json"), "precious").unwrap();
    symlink("precious.json", folder.path().join("link.json")).unwrap();
    symlink("nowhere.json", folder.path().join("dangling.json")).unwrap();
    symlink("loop.json", folder.path().join("loop.json")).unwrap();
    rustix::fs::mkfifoat(CWD, folder.path().join("pipe.json"), Mode::RWXU).unwrap();
    for (out, words) in [
        ("link.json", "a symbolic link"),
        ("dangling.json", "a symbolic link"),
        ("loop.json", "a symbolic link"),
        ("pipe.json", "a named pipe"),
        ("/dev/full", "a device"),
        ("/dev/null", "a device"),
    ] {
        each(folder.path(), out, |_, run| {
            run.stops(3, out, words);
        });
    }
}

#[test]
fn a_missing_parent_folder_is_named_and_not_made() {
    let folder = folder::empty();
    fs::write(folder.path().join("file"), "x").unwrap();
    each(folder.path(), "no/such/out.json", |_, run| {
        run.stops(3, "no/such", "does not exist");
    });
    each(folder.path(), "file/out.json", |_, run| {
        run.stops(3, "file", "is not a folder");
    });
}

#[test]
fn a_name_that_the_file_system_cannot_hold_is_an_error() {
    let folder = folder::empty();
    let long = "n".repeat(300);
    each(folder.path(), &long, |_, run| {
        run.exits(3).prints_nothing().reports(&["error: ", &long]);
    });
}

/// Root may write everywhere, so that root's tests run a copy of the binary as `nobody`.
#[test]
fn a_folder_without_write_permission_is_named() {
    let bundle = Bundle::new();
    for command in makers() {
        fs::copy(command.good_input(&bundle), bundle.folder().join(format!("{}.in", command.name))).unwrap();
    }
    let closed = folder::empty();
    fs::write(closed.path().join("old.json"), "old").unwrap();
    set_mode(closed.path(), 0o555);
    let package = Package::new("weather-board");
    let (_home, binary) = binary_for_everybody();
    for command in makers() {
        for name in ["new.json", "old.json"] {
            let out = closed.path().join(name);
            let input = match command.reads {
                Some(spec) => bundle.path(spec),
                None => package.manifest(),
            };
            let run =
                Svc::from_command(process::Command::new(&binary), "svc").args(["app", command.name]).args([input]);
            let run = untouched(closed.path(), || run.args(["--out"]).args([&out]).by_nobody().run());
            run.stops(3, name, "permission denied");
        }
    }
    set_mode(closed.path(), 0o755);
}

/// A tmpfs of a few pages, where the system lets us mount one: as root, or in a user namespace. The next test needs no
/// mount and always runs.
#[test]
fn a_full_disk_leaves_the_old_file_and_no_other() {
    const SCRIPT: &str = r#"
        mount -t tmpfs -o size=8k,mode=755 tmpfs "$1" || exit 77
        printf old > "$1/old.json"
        "$0" app "$2" "$3" --out "$1/old.json"; echo "exit $?"
        "$0" app "$2" "$3" --out "$1/new.json"; echo "exit $?"
        ls -A "$1"; cat "$1/old.json"
    "#;
    let bundle = Bundle::new();
    for command in makers() {
        let disk = folder::empty();
        let mut process = process::Command::new("unshare");
        if !rustix::process::getuid().is_root() {
            process.args(["--user", "--map-root-user"]);
        }
        process.args(["--mount", "sh", "-c", SCRIPT, SVC]).arg(disk.path()).arg(command.name);
        process.arg(command.good_input(&bundle));
        let run = Svc::from_command(process, "svc on a full tmpfs").run();
        assert_eq!(run.code(), Some(0), "no small disk could be mounted: {}", run.err());
        run.reports(&["the disk or the quota is full", "help:"]);
        assert_eq!(run.out(), "exit 3\nexit 3\nold.json\nold", "{}: {}", command.name, run.err());
    }
}

/// `RLIMIT_FSIZE`, with its signal ignored: the write ends in the middle with an error.
#[test]
fn a_write_that_ends_in_the_middle_leaves_the_old_file_and_no_other() {
    let bundle = Bundle::new();
    let folder = folder::empty();
    fs::write(folder.path().join("old.json"), "old").unwrap();
    for command in makers() {
        for name in ["old.json", "new.json"] {
            let mut process = process::Command::new("sh");
            process.args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "sh", SVC, "app", command.name]);
            process.arg(command.good_input(&bundle)).arg("--out").arg(folder.path().join(name));
            let run = untouched(folder.path(), || Svc::from_command(process, "svc under a file size limit").run());
            run.exits(3).prints_nothing().reports(&["error: ", name]);
        }
    }
}

#[test]
fn a_read_only_file_is_replaced_as_a_whole_because_the_folder_allows_it() {
    let bundle = Bundle::new();
    let folder = folder::empty();
    let out = folder.path().join("out.json");
    for command in makers() {
        fs::write(&out, "old").unwrap();
        set_mode(&out, 0o444);
        let run = app([command.name]).args([command.good_input(&bundle)]).args(["--out"]).args([&out]).run();
        run.exits(0).prints(&["replaced"]);
        assert!(fs::read(&out).unwrap() == fs::read(bundle.path(command.makes.unwrap())).unwrap());
        fs::remove_file(&out).unwrap();
    }
}

#[test]
fn an_output_beside_the_default_is_written_only_where_it_was_asked_for() {
    for command in makers() {
        let bundle = Bundle::new();
        let elsewhere = folder::empty();
        let target: PathBuf = elsewhere.path().join("a file with spaces ü.json");
        let run = || {
            let maker = app([command.name]).args([command.good_input(&bundle)]).args(["--out"]).args([&target]);
            maker.in_folder(bundle.folder()).run()
        };
        untouched(bundle.folder(), run).exits(0).prints(&["created"]);
        let written = folder::contents(elsewhere.path());
        assert_eq!(written.len(), 1);
        let expected = fs::read(bundle.path(command.makes.unwrap())).unwrap();
        assert!(written.values().all(|bytes| *bytes == expected), "{}", command.name);
    }
}
