//! The same package gives the same bytes everywhere, and the digests in them are the ones another language finds.

use std::fs;
use std::path::{Path, PathBuf};

use crate::bundle::{Bundle, example, python};
use crate::words::SUBMISSION;

#[test]
fn other_paths_users_locales_and_time_zones_give_the_same_bytes() {
    let expected = Bundle::of_the_example().files();
    let elsewhere = tempfile::tempdir().unwrap();
    for (path, order, environment) in [
        ("a", Order::Forwards, [("LC_ALL", "C"), ("TZ", "UTC"), ("USER", "root"), ("LANG", "C")]),
        (
            "deep/with a space/größe/weather",
            Order::Backwards,
            [("LC_ALL", "tr_TR.UTF-8"), ("TZ", "Pacific/Kiritimati"), ("USER", "somebody"), ("LANG", "ja_JP.UTF-8")],
        ),
    ] {
        let package = elsewhere.path().join(path);
        copy(&example(), &package, order);
        let home = home_that_ignores_everything(elsewhere.path());
        let mut environment = environment.to_vec();
        environment.push(("HOME", home.to_str().unwrap()));
        let found = Bundle::of_package(&package, &environment).files();
        for (name, bytes) in &expected {
            assert!(found.get(name) == Some(bytes), "{name} differs for a package in {path}");
        }
        assert_eq!(found.len(), expected.len());
    }
}

#[test]
fn digests_agree_with_python() {
    let bundle = Bundle::of_the_example();
    let submission = bundle.json(SUBMISSION);
    let files = submission["packageArtifact"]["files"].as_array().unwrap().len();
    assert!(files >= 3, "the example has only {files} files");

    // Descriptors: three in each of the three kinds with a report, two in the other three. Document digests: seven.
    // The submission inside the index again, with the entry's link to it. Five parents. Two subjects of the statement.
    // Every file of the package, in the six kinds that embed it and in the index.
    let minimum = (3 * 3 + 3 * 2) + 7 + (3 + 1 + 1) + 5 + 2 + 7 * files;
    let printed = python(&[Path::new("check"), bundle.folder(), &example()]);
    let checked: usize = printed.trim().parse().unwrap();
    assert!(checked >= minimum, "only {checked} digests compared, {minimum} exist");
}

#[derive(Clone, Copy)]
enum Order {
    Forwards,
    Backwards,
}

/// Creates files and folders one by one in the given order, with none of the original's times or owners.
fn copy(from: &Path, to: &Path, order: Order) {
    fs::create_dir_all(to).unwrap();
    let mut entries: Vec<_> = fs::read_dir(from).unwrap().map(|entry| entry.unwrap()).collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    if matches!(order, Order::Backwards) {
        entries.reverse();
    }
    for entry in entries {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target, order);
        } else {
            fs::write(target, fs::read(entry.path()).unwrap()).unwrap();
        }
    }
}

/// Ignore files outside the package, beside it and in the user's home, are none of its business.
fn home_that_ignores_everything(parent: &Path) -> PathBuf {
    for name in [".gitignore", ".ignore", ".svcignore"] {
        fs::write(parent.join(name), "*\n").unwrap();
    }
    let home = parent.join("home");
    fs::create_dir_all(home.join(".config/git")).unwrap();
    fs::write(home.join(".config/git/ignore"), "*\n").unwrap();
    home
}
