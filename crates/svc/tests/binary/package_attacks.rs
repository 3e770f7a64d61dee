//! Hostile packages: every one is refused with its rule and its place, nothing is written, nothing hangs, and no name
//! reaches the terminal raw.

use std::{
    ffi::OsStr,
    fs::{self, File},
    io::Write as _,
    os::unix::{ffi::OsStrExt as _, fs::symlink, net::UnixListener},
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use rustix::fs::{CWD, Mode};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::{
    bundle::{Package, json as parse},
    folder::{self, untouched},
    svc::{Run, app},
    terminal::assert_plain,
};

/// The small example, all of its folder selected.
fn open_package() -> Package {
    let package = Package::new("minimal");
    package.change_manifest(|manifest| manifest["files"] = json!(["**"]));
    let (run, written) = package.pack();
    run.exits(0);
    assert!(written.is_some(), "the package is good before it is attacked");
    package
}

#[track_caller]
fn refused(package: &Package, rule: &str, place: &str) -> Run {
    let run = untouched(&package.root(), || package.is_refused());
    run.refuses(1, rule, place);
    assert_plain(&run);
    run
}

#[test]
fn links_of_every_sort_are_refused() {
    for (target, what) in [
        ("index.html", "to a file of the package"),
        ("/etc/passwd", "out of the package"),
        ("../secret", "up"),
        ("nowhere", "to nothing"),
        ("evil", "to itself"),
        ("/etc", "to a folder"),
        (".", "to its own folder"),
    ] {
        let package = open_package();
        fs::write(package.root().join("../secret"), "outside").unwrap();
        symlink(target, package.root().join("evil")).unwrap();
        refused(&package, "SVC-F014", "evil").with(what).reports(&["a symbolic link"]);
    }
}

#[test]
fn a_linked_folder_on_the_way_to_a_declared_file_is_refused() {
    let package = Package::new("minimal");
    let outside = folder::empty();
    fs::write(outside.path().join("page.html"), "<p>outside</p>").unwrap();
    symlink(outside.path(), package.root().join("dist")).unwrap();
    package.change_manifest(|manifest| {
        manifest["entry"]["renderer"] = json!("dist/page.html");
        manifest["files"].as_array_mut().unwrap().push(json!("dist/page.html"));
    });
    refused(&package, "SVC-F014", "dist");
}

#[test]
fn a_pipe_and_a_socket_in_the_package_are_refused_without_waiting() {
    let begun = Instant::now();
    let package = open_package();
    rustix::fs::mkfifoat(CWD, package.root().join("pipe"), Mode::RWXU).unwrap();
    refused(&package, "SVC-F014", "pipe").reports(&["a named pipe"]);
    let package = open_package();
    let _listener = UnixListener::bind(package.root().join("socket")).unwrap();
    refused(&package, "SVC-F014", "socket").reports(&["a socket"]);
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_name_that_not_every_system_can_hold_is_refused_and_shown_escaped() {
    let cases: &[(&[u8], &str)] = &[
        (b"esc\x1b[31m.txt", "esc\\u{1b}[31m.txt"),
        (b"osc\x1b]52;c;aGk=\x07.txt", "osc\\u{1b}]52;c;aGk=\\u{7}.txt"),
        (b"new\nline.txt", "new\\u{a}line.txt"),
        (b"car\rriage.txt", "car\\u{d}riage.txt"),
        (b"del\x7f.txt", "del\\u{7f}.txt"),
        (b"c1\xc2\x9b31m.txt", "c1\\u{9b}31m.txt"),
        ("bidi\u{202e}txt.exe".as_bytes(), "bidi\\u{202e}txt.exe"),
        ("zero\u{200b}width.txt".as_bytes(), "zero\\u{200b}width.txt"),
        (b"back\\slash.txt", "back\\slash.txt"),
        (b"CON", "CON"),
        (b"con.txt", "con.txt"),
        (b"Lpt1.tar.gz", "Lpt1.tar.gz"),
        (b"COM\xc2\xb9", "COM¹"),
        (b"CONOUT$", "CONOUT$"),
        (b"trailing.", "trailing."),
        (b"trailing ", "trailing "),
        (b"stream:ads", "stream:ads"),
        (b"what?.txt", "what?.txt"),
        (b"star*.txt", "star*.txt"),
        (b"pi|pe.txt", "pi|pe.txt"),
        (b"quo\"te.txt", "quo\"te.txt"),
        (b"less<more>.txt", "less<more>.txt"),
        (b"not-utf8-\xff.txt", "not-utf8-\u{fffd}.txt"),
        ("not-nfc-e\u{301}.txt".as_bytes(), "not-nfc-e\u{301}.txt"),
    ];
    for (name, shown) in cases {
        let package = open_package();
        fs::write(package.root().join(OsStr::from_bytes(name)), "x").unwrap();
        refused(&package, "SVC-F002", shown);
        // The folder of a file counts as well.
        let package = open_package();
        let folder = package.root().join(OsStr::from_bytes(name));
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("file.txt"), "x").unwrap();
        refused(&package, "SVC-F002", shown);
    }
}

#[test]
fn a_path_in_the_manifest_that_leads_out_is_refused() {
    for path in [
        "../secret",
        "/etc/passwd",
        "a/../../secret",
        "C:\\secret",
        "\\\\server\\share",
        "./index.html",
        "a//b",
        "~/x/",
    ] {
        let package = open_package();
        fs::write(package.root().join("../secret"), "outside").unwrap();
        package.change_manifest(|manifest| manifest["entry"]["renderer"] = json!(path));
        let run = untouched(&package.root(), || package.is_refused());
        run.exits(1).prints_no_yes().reports(&["error[SVC-", "/entry/renderer", "help:"]);
        let package = open_package();
        package.change_manifest(|manifest| manifest["files"] = json!([path, "**"]));
        let (run, written) = package.pack();
        // A pattern is no path: what it cannot select, it does not; nothing outside is ever read.
        match written {
            Some(bytes) => assert!(!String::from_utf8_lossy(&bytes).contains("secret"), "{path}"),
            None => {
                run.exits(1).reports(&["/files/0", "help:"]);
            }
        }
    }
}

#[test]
fn names_that_are_one_on_some_systems_are_refused() {
    for (one, two) in [
        ("ReadMe.txt", "README.TXT"),
        ("straße.txt", "STRASSE.txt"),
        ("Assets/a.txt", "assets/b.txt"),
        ("SVC-APP.JSON", "x.txt"),
    ] {
        let package = open_package();
        package.write(one, b"1");
        package.write(two, b"2");
        refused(&package, "SVC-F003", "one name on some systems");
    }
}

#[test]
fn the_tools_own_output_inside_the_package_is_refused() {
    for spec in svc_core::words::kind::ALL {
        let package = open_package();
        package.write(format!("out/{}", spec.file), b"{}");
        refused(&package, "SVC-F010", spec.file);
    }
    // The file that this very run writes is not in its own way.
    let package = open_package();
    for _ in 0..2 {
        app(["pack", "svc-app.json"]).in_folder(&package.root()).run().exits(0);
    }
}

#[test]
fn what_a_killed_run_left_is_never_packed() {
    let package = open_package();
    let (_, before) = package.pack();
    package.write(".svc-0123456789abcdef.tmp", b"{\"torn\": ");
    let (run, after) = package.pack();
    run.exits(0);
    assert!(after == before, "a temporary file of svc became part of the package");
}

#[test]
fn a_giant_in_the_package_is_refused_at_once() {
    let package = open_package();
    File::create(package.root().join("giant.bin")).unwrap().set_len(1 << 40).unwrap();
    let begun = Instant::now();
    let run = package.is_refused();
    assert!(begun.elapsed() < Duration::from_secs(2), "took {:?}", begun.elapsed());
    run.refuses(1, "SVC-F004", "giant.bin");

    let package = open_package();
    for number in 0..5 {
        File::create(package.root().join(format!("part-{number}"))).unwrap().set_len(24 << 20).unwrap();
    }
    package.is_refused().refuses(1, "SVC-F004", "100 MiB");
}

#[test]
fn one_file_too_many_is_refused_and_as_many_as_allowed_are_packed() {
    let package = open_package();
    let own = 3;
    for number in own..10_000 {
        package.write(format!("d{}/{number}", number % 100), b"");
    }
    let (run, written) = package.pack();
    run.exits(0);
    assert_eq!(parse(&written.unwrap())["packageArtifact"]["files"].as_array().unwrap().len(), 10_000);
    package.write("one-more", b"");
    let begun = Instant::now();
    let run = package.is_refused();
    run.refuses(1, "SVC-F005", "10000");
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[test]
fn folders_nested_without_end_are_refused() {
    let package = open_package();
    let mut deep = package.root();
    for _ in 0..200 {
        deep.push("d");
        fs::create_dir(&deep).unwrap();
    }
    fs::write(deep.join("f"), "x").unwrap();
    refused(&package, "SVC-F002", "deeper than");
}

/// A file that grows while it is read is refused; should the run have been quicker than the growth, the table speaks of
/// bytes that stood in the file together.
#[test]
fn a_file_that_grows_while_it_is_packed_is_refused_or_seen_at_one_moment() {
    const START: usize = 16 << 20;
    let package = open_package();
    let path = package.root().join("growing.bin");
    let mut seen_changing = false;
    for _ in 0..50 {
        fs::write(&path, vec![b'x'; START]).unwrap();
        let done = AtomicBool::new(false);
        let (run, written) = thread::scope(|scope| {
            scope.spawn(|| {
                let mut file = File::options().append(true).open(&path).unwrap();
                while !done.load(Ordering::Relaxed) {
                    file.write_all(b"y").unwrap();
                }
            });
            let packed = package.pack();
            done.store(true, Ordering::Relaxed);
            packed
        });
        match written {
            Some(submission) => {
                run.exits(0);
                assert_is_a_prefix(&path, &submission);
            }
            None => {
                run.refuses(1, "SVC-F015", "growing.bin");
                seen_changing = true;
                break;
            }
        }
    }
    assert!(seen_changing, "in fifty runs no change was seen");
}

fn assert_is_a_prefix(path: &Path, submission: &[u8]) {
    let submission = parse(submission);
    let files = submission["packageArtifact"]["files"].as_array().unwrap();
    let row: &Value = files.iter().find(|row| row["path"] == "growing.bin").unwrap();
    let size = usize::try_from(row["size"].as_u64().unwrap()).unwrap();
    let bytes = fs::read(path).unwrap();
    let hex: String = Sha256::digest(&bytes[..size]).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(row["digest"], format!("sha256:{hex}"));
}

#[test]
fn hard_links_are_plain_files() {
    let package = open_package();
    fs::hard_link(package.root().join("index.html"), package.root().join("copy.html")).unwrap();
    let (run, written) = package.pack();
    run.exits(0);
    let submission = parse(&written.unwrap());
    let files = submission["packageArtifact"]["files"].as_array().unwrap();
    let digest = |path: &str| files.iter().find(|row| row["path"] == path).unwrap()["digest"].clone();
    assert_eq!(digest("copy.html"), digest("index.html"));
}

#[test]
fn permission_bits_owners_and_times_do_not_matter() {
    let package = open_package();
    let (_, before) = package.pack();
    folder::set_mode(&package.root().join("index.html"), 0o6777);
    let later = std::time::SystemTime::now() + Duration::from_secs(1_000_000);
    File::open(package.root().join("README.md")).unwrap().set_modified(later).unwrap();
    let (run, after) = package.pack();
    run.exits(0);
    assert!(before == after);
}

#[test]
fn every_fault_of_a_package_is_told_in_one_run() {
    let package = open_package();
    symlink("nowhere", package.root().join("link")).unwrap();
    package.write("CON", b"x");
    package.write("readme.MD", b"x");
    fs::write(package.root().join("esc\u{1b}.txt"), "x").unwrap();
    File::create(package.root().join("giant")).unwrap().set_len(1 << 40).unwrap();
    package.change_manifest(|manifest| manifest["version"] = json!("latest"));
    let run = package.is_refused();
    run.exits(1).reports(&["SVC-F014", "SVC-F002", "SVC-F004", "SVC-M012", "esc\\u{1b}.txt"]);
    assert_plain(&run);
}
