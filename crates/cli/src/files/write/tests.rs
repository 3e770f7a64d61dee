use std::{
    os::unix::{
        fs::{MetadataExt as _, PermissionsExt as _, symlink},
        net::UnixListener,
    },
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, SystemTime},
};

use rustix::fs::{CWD, Mode};
use tempfile::tempdir;

use super::*;
use svc_testkit::rerun;

/// Every name in the folder, so that a refusal can assert that nothing was written.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_symlink_is_neither_followed_nor_replaced() {
    let dir = tempdir().unwrap();
    let victim = dir.path().join("victim");
    fs::write(&victim, "precious").unwrap();
    for (name, target) in [("link", "victim"), ("dangling", "nowhere"), ("loop", "loop")] {
        let link = dir.path().join(name);
        symlink(target, &link).unwrap();
        let refusal = write_atomic(&link, b"new").unwrap_err();
        assert!(matches!(refusal, WriteError::NotRegular(SpecialKind::Symlink)), "{name}");
        assert_eq!(refusal.message(), "is a symbolic link, which is never replaced");
        assert!(refusal.help().unwrap().contains("link"));
        assert_eq!(fs::read_link(&link).unwrap(), Path::new(target));
    }
    assert_eq!(fs::read(&victim).unwrap(), b"precious");
    assert_eq!(names(dir.path()), ["dangling", "link", "loop", "victim"]);
}

#[test]
fn a_device_a_pipe_and_a_socket_are_never_replaced() {
    let full = write_atomic(Path::new("/dev/full"), b"new").unwrap_err();
    assert!(matches!(full, WriteError::NotRegular(SpecialKind::Device)));
    assert_eq!(FileKind::from(fs::metadata("/dev/full").unwrap().file_type()), FileKind::Special(SpecialKind::Device));

    let dir = tempdir().unwrap();
    let pipe = dir.path().join("pipe");
    rustix::fs::mkfifoat(CWD, &pipe, Mode::RWXU).unwrap();
    assert!(matches!(write_atomic(&pipe, b"new"), Err(WriteError::NotRegular(SpecialKind::Fifo))));
    let socket = dir.path().join("socket");
    let _listener = UnixListener::bind(&socket).unwrap();
    assert!(matches!(write_atomic(&socket, b"new"), Err(WriteError::NotRegular(SpecialKind::Socket))));
    assert_eq!(names(dir.path()), ["pipe", "socket"]);
}

#[test]
fn a_folder_is_refused_and_so_is_a_path_that_means_one() {
    let dir = tempdir().unwrap();
    fs::create_dir(dir.path().join("folder")).unwrap();
    assert!(matches!(write_atomic(&dir.path().join("folder"), b"x"), Err(WriteError::IsDirectory)));
    for end in ["folder/", "new/", "new/.", "..", "folder/.."] {
        let path = dir.path().join(end);
        assert!(matches!(write_atomic(&path, b"x"), Err(WriteError::NoFileName)), "{end}");
    }
    for path in ["", ".", "..", "/"] {
        assert!(matches!(write_atomic(Path::new(path), b"x"), Err(WriteError::NoFileName)), "{path}");
    }
    assert_eq!(names(dir.path()), ["folder"]);
}

#[test]
fn a_missing_parent_is_named() {
    let dir = tempdir().unwrap();
    let refusal = write_atomic(&dir.path().join("no/such/file.json"), b"x").unwrap_err();
    assert!(matches!(&refusal, WriteError::ParentMissing(folder) if folder.ends_with("no/such")));
    assert!(refusal.message().ends_with("no/such does not exist"));
    assert!(names(dir.path()).is_empty());
}

#[test]
fn a_parent_that_is_a_file_is_named() {
    let dir = tempdir().unwrap();
    fs::write(dir.path().join("file"), "x").unwrap();
    let refusal = write_atomic(&dir.path().join("file/out.json"), b"x").unwrap_err();
    assert!(matches!(&refusal, WriteError::ParentNotFolder(folder) if folder.ends_with("file")));
    assert!(refusal.message().ends_with("file is not a folder"));
}

#[test]
fn a_folder_without_write_permission_is_refused() {
    if rerun::as_nobody("files::write::tests::a_folder_without_write_permission_is_refused") {
        return;
    }
    let dir = tempdir().unwrap();
    fs::write(dir.path().join("out"), "old").unwrap();
    fs::set_permissions(dir.path(), Permissions::from_mode(0o555)).unwrap();
    for name in ["new", "out"] {
        let refusal = write_atomic(&dir.path().join(name), b"x").unwrap_err();
        assert!(matches!(refusal, WriteError::PermissionDenied), "{name}");
    }
    assert_eq!(write_atomic(&dir.path().join("out"), b"old").unwrap(), WriteOutcome::Unchanged);
    fs::set_permissions(dir.path(), Permissions::from_mode(0o755)).unwrap();
    assert_eq!(names(dir.path()), ["out"]);
}

#[test]
fn a_full_disk_leaves_the_old_file_and_nothing_else() {
    let name = "files::write::tests::a_full_disk_leaves_the_old_file_and_nothing_else";
    let Some(disk) = rerun::in_tmpfs(name, "size=1m") else { return };
    let out = disk.join("out");
    write_atomic(&out, b"old").unwrap();
    let refusal = write_atomic(&out, &vec![b'x'; 2 << 20]).unwrap_err();
    assert!(matches!(refusal, WriteError::DiskFull));
    assert_eq!(refusal.message(), "the disk or the quota is full");
    assert_eq!(fs::read(&out).unwrap(), b"old");
    assert_eq!(names(&disk), ["out"]);
}

#[test]
fn a_read_only_file_system_is_named() {
    let name = "files::write::tests::a_read_only_file_system_is_named";
    let Some(disk) = rerun::in_tmpfs(name, "size=1m,ro") else { return };
    let refusal = write_atomic(&disk.join("out"), b"x").unwrap_err();
    assert!(matches!(refusal, WriteError::ReadOnly));
    assert_eq!(refusal.message(), "the file system is read-only");
    assert!(names(&disk).is_empty());
}

#[test]
fn every_error_of_the_system_finds_its_words() {
    let from = |errno: rustix::io::Errno| WriteError::from(io::Error::from(errno));
    assert!(matches!(from(rustix::io::Errno::NOSPC), WriteError::DiskFull));
    assert!(matches!(from(rustix::io::Errno::DQUOT), WriteError::DiskFull));
    assert!(matches!(from(rustix::io::Errno::ROFS), WriteError::ReadOnly));
    assert!(matches!(from(rustix::io::Errno::ACCESS), WriteError::PermissionDenied));
    assert!(matches!(from(rustix::io::Errno::PERM), WriteError::PermissionDenied));
    let other = from(rustix::io::Errno::IO);
    assert!(other.message().starts_with("cannot be written: "));
    assert!(other.help().is_none());
}

#[test]
fn a_name_longer_than_the_file_system_allows_leaves_nothing() {
    let dir = tempdir().unwrap();
    assert!(matches!(write_atomic(&dir.path().join("x".repeat(300)), b"x"), Err(WriteError::Io(_))));
    assert!(names(dir.path()).is_empty());
    let longest = dir.path().join("x".repeat(255));
    assert_eq!(write_atomic(&longest, b"x").unwrap(), WriteOutcome::Created);
}

#[test]
fn a_temporary_file_is_private_hidden_and_removed_on_failure() {
    let dir = tempdir().unwrap();
    let folder = TargetFolder::open(dir.path()).unwrap();
    let temporary = Temporary::create(&folder).unwrap();
    let found = names(dir.path());
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with(".svc-") && found[0].ends_with(".tmp"));
    assert_eq!(fs::metadata(dir.path().join(&found[0])).unwrap().mode() & 0o777, 0o600);
    drop(temporary);
    assert!(names(dir.path()).is_empty());
    assert_ne!(unpredictable_name(), unpredictable_name());
}

#[test]
fn a_target_that_became_a_folder_meanwhile_is_refused_and_the_temporary_removed() {
    let dir = tempdir().unwrap();
    let folder = TargetFolder::open(dir.path()).unwrap();
    let temporary = Temporary::create(&folder).unwrap();
    fs::create_dir(dir.path().join("out")).unwrap();
    assert!(matches!(temporary.rename_to(OsStr::new("out")), Err(WriteError::IsDirectory)));
    assert_eq!(names(dir.path()), ["out"]);
}

#[test]
fn a_new_file_is_created_with_the_mode_the_umask_leaves() {
    let dir = tempdir().unwrap();
    let out = dir.path().join("out");
    assert_eq!(write_atomic(&out, b"new").unwrap(), WriteOutcome::Created);
    assert_eq!(fs::read(&out).unwrap(), b"new");
    let plain = dir.path().join("plain");
    fs::write(&plain, "x").unwrap();
    let expected = fs::metadata(&plain).unwrap().mode() & 0o644;
    assert_eq!(fs::metadata(&out).unwrap().mode() & 0o777, expected);
}

#[test]
fn other_content_is_replaced_and_equal_content_left_alone() {
    let dir = tempdir().unwrap();
    let out = dir.path().join("out");
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    for old in ["", "olx", "old and more"] {
        fs::write(&out, old).unwrap();
        assert_eq!(write_atomic(&out, b"old").unwrap(), WriteOutcome::Replaced, "{old}");
        assert_eq!(fs::read(&out).unwrap(), b"old");
    }
    File::options().write(true).open(&out).unwrap().set_modified(long_ago).unwrap();
    let before = fs::metadata(&out).unwrap();
    assert_eq!(write_atomic(&out, b"old").unwrap(), WriteOutcome::Unchanged);
    let after = fs::metadata(&out).unwrap();
    assert_eq!((before.ino(), before.ctime_nsec()), (after.ino(), after.ctime_nsec()));
    assert_eq!(after.modified().unwrap(), long_ago);
    assert_eq!(names(dir.path()), ["out"]);
}

#[test]
fn an_empty_file_is_written_and_then_unchanged() {
    let dir = tempdir().unwrap();
    let out = dir.path().join("out");
    assert_eq!(write_atomic(&out, b"").unwrap(), WriteOutcome::Created);
    assert_eq!(write_atomic(&out, b"").unwrap(), WriteOutcome::Unchanged);
}

#[test]
fn many_writers_at_once_leave_one_complete_file() {
    const WRITERS: u8 = 8;
    let dir = tempdir().unwrap();
    let out = dir.path().join("out");
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let out = &out;
            scope.spawn(move || {
                for round in 0..25 {
                    write_atomic(out, &vec![writer; 50_000 + round]).unwrap();
                    let seen = fs::read(out).unwrap();
                    assert!(seen.len() >= 50_000 && seen.iter().all(|byte| *byte == seen[0]));
                }
            });
        }
    });
    assert_eq!(names(dir.path()), ["out"]);
}

#[test]
fn a_run_that_clears_leftovers_takes_no_file_that_another_just_made() {
    let dir = tempdir().unwrap();
    let writing = AtomicBool::new(true);
    thread::scope(|scope| {
        scope.spawn(|| {
            let folder = TargetFolder::open(dir.path()).unwrap();
            while writing.load(Ordering::Relaxed) {
                clear_leftovers(&folder);
            }
        });
        let folder = TargetFolder::open(dir.path()).unwrap();
        let lost =
            (0..20_000).filter(|_| Temporary::create(&folder).unwrap().rename_to("out".as_ref()).is_err()).count();
        writing.store(false, Ordering::Relaxed);
        assert_eq!(lost, 0);
    });
}

#[test]
fn the_same_file_is_known_through_links_and_hard_links() {
    let dir = tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    fs::write(path("a"), "x").unwrap();
    fs::write(path("other"), "x").unwrap();
    symlink("a", path("link")).unwrap();
    fs::hard_link(path("a"), path("hard")).unwrap();
    assert!(is_same_file(&path("a"), &path("./a")));
    assert!(is_same_file(&path("a"), &path("link")));
    assert!(is_same_file(&path("a"), &path("hard")));
    assert!(!is_same_file(&path("a"), &path("other")));
    assert!(!is_same_file(&path("missing"), &path("missing")));
}

#[test]
fn a_dash_is_standard_output_and_nothing_else_is() {
    assert_eq!(Output::from_argument("-"), Output::Stdout);
    assert_eq!(Output::from_argument("-").label(), "<stdout>");
    assert_eq!(Output::from_argument("./-"), Output::Path("./-".into()));
    assert_eq!(Output::from_argument("a/b").label(), "a/b");
}

#[test]
fn every_refusal_says_what_is_wrong_in_lower_case() {
    let all = [
        WriteError::NoFileName,
        WriteError::IsDirectory,
        WriteError::NotRegular(SpecialKind::Fifo),
        WriteError::ParentMissing("x".into()),
        WriteError::ParentNotFolder("x".into()),
        WriteError::PermissionDenied,
        WriteError::DiskFull,
        WriteError::ReadOnly,
    ];
    for error in all {
        let message = error.message();
        assert!(message.starts_with(|first: char| first.is_lowercase()), "{message}");
        assert!(error.help().is_some(), "{message}");
    }
}
