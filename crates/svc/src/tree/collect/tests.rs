use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs::{self, File},
    io::Write as _,
    os::unix::{
        ffi::OsStrExt as _,
        fs::{PermissionsExt as _, symlink},
        net::UnixListener,
    },
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use rustix::fs::{CWD, Mode, RenameFlags};
use sha2::{Digest as _, Sha256};
use svc_testkit::rerun;
use tempfile::{TempDir, tempdir};

use super::*;

const LIMITS: TreeLimits =
    TreeLimits { file_bytes: 25 << 20, package_bytes: 100 << 20, files: 10_000, folder_depth: 32 };

/// A package root in a folder of its own, so that there is an outside.
struct Tree(TempDir);

impl Tree {
    fn with(files: &[&str]) -> Self {
        let tree = Self(tempdir().unwrap());
        fs::create_dir(tree.root()).unwrap();
        fs::write(tree.0.path().join("secret"), "outside").unwrap();
        for file in files {
            tree.write(file, file);
        }
        tree
    }

    fn root(&self) -> PathBuf {
        self.0.path().join("root")
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    /// A file that holds `content`, its folders made.
    fn write(&self, path: &str, content: &str) {
        fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        fs::write(self.path(path), content).unwrap();
    }

    fn link(&self, target: &str, path: &str) {
        symlink(target, self.path(path)).unwrap();
    }

    /// Both walls, which must agree.
    fn walls(&self) -> [Root; 2] {
        [Root::open(&self.root()).unwrap(), Root::open_by_parts(&self.root()).unwrap()]
    }

    fn collect(&self, globs: &[&str]) -> Result<CollectedTree<()>, RefusedTree<()>> {
        self.collect_with(&patterns(globs, ""), &LIMITS)
    }

    fn collect_with(&self, patterns: &Patterns, limits: &TreeLimits) -> Result<CollectedTree<()>, RefusedTree<()>> {
        let [by_kernel, by_parts] = self.walls().map(|root| collect(&root, patterns, limits, |_| (), |_| ()));
        match (&by_kernel, &by_parts) {
            (Ok(a), Ok(b)) => assert_eq!((&a.files, &a.matched), (&b.files, &b.matched)),
            (Err(a), Err(b)) => assert_eq!(lines_of(a), lines_of(b)),
            (Ok(_), Err(_)) | (Err(_), Ok(_)) => {
                panic!("the walls differ: {by_kernel:?} {by_parts:?}")
            }
        }
        by_kernel
    }
}

fn patterns(globs: &[&str], ignore_file: &str) -> Patterns {
    let globs: Vec<String> = globs.iter().map(|glob| (*glob).to_owned()).collect();
    Patterns::compile(&globs, Some(ignore_file), &[]).unwrap()
}

fn paths<F>(files: &[HashedFile<F>]) -> Vec<&str> {
    files.iter().map(|file| file.path.as_str()).collect()
}

/// Each fault in one line.
fn lines_of<F>(refused: &RefusedTree<F>) -> Vec<String> {
    refused.faults.iter().map(|fault| format!("{} {}", fault.path().unwrap_or("*"), fault.message())).collect()
}

fn refusal(result: Result<CollectedTree<()>, RefusedTree<()>>) -> Vec<String> {
    lines_of(&result.unwrap_err())
}

#[test]
fn a_selected_symlink_is_refused_whatever_it_leads_to() {
    let tree = Tree::with(&["dist/a.js"]);
    tree.link("../../secret", "dist/file");
    tree.link("../..", "dist/folder");
    tree.link("nowhere", "dist/dangling");
    tree.link("loop", "dist/loop");
    tree.link("a.js", "dist/inside");
    tree.link("/proc/self/root", "dist/magic");
    let refused = tree.collect(&["dist/**"]).unwrap_err();
    let expected: Vec<String> = ["dangling", "file", "folder", "inside", "loop", "magic"]
        .map(|name| format!("dist/{name} is a symbolic link, not a regular file"))
        .to_vec();
    assert_eq!(lines_of(&refused), expected);
    assert_eq!(paths(&refused.files), ["dist/a.js"], "the rest is still read, for other checks");
}

#[test]
fn a_linked_folder_that_a_pattern_would_enter_is_refused() {
    let tree = Tree::with(&["real/a.js"]);
    tree.link("..", "up");
    tree.link("real", "dist");
    for globs in [["up/secret"], ["**/*.js"], ["up/**"], ["*/a.js"], ["up"], ["up/"]] {
        let told = refusal(tree.collect(&globs));
        assert!(told.contains(&"up is a symbolic link, not a regular file".to_owned()), "{globs:?} {told:?}");
    }
    let refused = tree.collect(&["dist/*.js"]).unwrap_err();
    assert_eq!(refused.matched, [true], "one trouble is told once");
}

#[test]
fn a_link_nobody_asked_for_is_no_trouble() {
    let tree = Tree::with(&["dist/a.js"]);
    tree.link("..", "up");
    tree.link("../secret", "secret.txt");
    tree.link("../../secret", "dist/readme");
    assert_eq!(paths(&tree.collect(&["dist/*.js"]).unwrap().files), ["dist/a.js"]);
    fs::remove_file(tree.path("up")).unwrap();
    assert!(tree.collect(&["**/*.js"]).is_ok(), "a link to a file is no folder to enter");
    tree.link("..", "up");
    let ignoring = patterns(&["**"], "up/\nsecret.txt\n/dist/readme\n");
    assert_eq!(paths(&tree.collect_with(&ignoring, &LIMITS).unwrap().files), ["dist/a.js"]);
}

#[test]
fn pipes_sockets_and_devices_are_refused_without_waiting() {
    let tree = Tree::with(&["a"]);
    rustix::fs::mkfifoat(CWD, tree.path("pipe"), Mode::RWXU).unwrap();
    let _listener = UnixListener::bind(tree.path("socket")).unwrap();
    let begun = Instant::now();
    let told = refusal(tree.collect(&["**"]));
    assert!(begun.elapsed() < Duration::from_secs(1));
    assert_eq!(told, ["pipe is a named pipe, not a regular file", "socket is a socket, not a regular file"]);
    assert_eq!(paths(&tree.collect(&["a"]).unwrap().files), ["a"]);
    let devices = Root::open(Path::new("/dev")).unwrap();
    let refused = collect(&devices, &patterns(&["null"], ""), &LIMITS, |_| (), |_| ()).unwrap_err();
    assert_eq!(first_line_of(&refused), "null is a device, not a regular file");
}

fn first_line_of<F>(refused: &RefusedTree<F>) -> String {
    lines_of(refused).swap_remove(0)
}

/// Tells the other thread to end, also when an assertion unwinds: a scope waits for its threads.
struct EndWith<'a>(&'a AtomicBool);

impl Drop for EndWith<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs `collect` at least so many rounds, and until a table and a refusal were seen, while another thread
/// exchanges two names. Whatever happens, no row may be the outside file's.
fn collect_during_exchange(tree: &Tree, a: &str, b: &str, glob: &str, rounds: u32) {
    let outside: [u8; 32] = Sha256::digest("outside").into();
    let (a, b) = (tree.path(a), tree.path(b));
    let patterns = patterns(&[glob], "");
    let ended = AtomicBool::new(false);
    let (mut round, mut tables, mut refusals) = (0, 0, 0);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                rustix::fs::renameat_with(CWD, &a, CWD, &b, RenameFlags::EXCHANGE).unwrap();
            }
        });
        let _end = EndWith(&ended);
        let walls = tree.walls();
        let begun = Instant::now();
        while round < rounds || tables == 0 || refusals == 0 {
            let files = match collect(&walls[round as usize % 2], &patterns, &LIMITS, |_| (), |_| ()) {
                Ok(collected) => {
                    tables += 1;
                    collected.files
                }
                Err(refused) => {
                    refusals += 1;
                    refused.files
                }
            };
            assert!(files.iter().all(|file| file.sha256 != outside), "round {round}");
            assert!(begun.elapsed() < Duration::from_secs(60), "{tables} tables, {refusals} refusals");
            round += 1;
        }
    });
}

#[test]
fn a_folder_exchanged_for_a_link_during_the_run_never_leads_out() {
    let tree = Tree::with(&["d/secret"]);
    tree.link("..", "link");
    collect_during_exchange(&tree, "d", "link", "d/**", 4_000);
}

#[test]
fn a_file_exchanged_for_a_link_during_the_run_never_leads_out() {
    let tree = Tree::with(&["d/secret"]);
    tree.link("../../secret", "d/link");
    collect_during_exchange(&tree, "d/secret", "d/link", "d/secret", 4_000);
}

#[test]
fn a_folder_high_up_exchanged_for_a_link_never_leads_out() {
    let tree = Tree::with(&["a/b/c/secret"]);
    fs::create_dir_all(tree.0.path().join("outside/b/c")).unwrap();
    fs::write(tree.0.path().join("outside/b/c/secret"), "outside").unwrap();
    tree.link("../outside", "link");
    collect_during_exchange(&tree, "a", "link", "a/**", 4_000);
}

#[test]
fn a_pipe_exchanged_for_a_file_never_hangs() {
    let tree = Tree::with(&["d/file"]);
    rustix::fs::mkfifoat(CWD, tree.path("d/pipe"), Mode::RWXU).unwrap();
    collect_during_exchange(&tree, "d/file", "d/pipe", "d/file", 1_000);
}

#[test]
fn a_sparse_file_of_a_tebibyte_is_refused_at_once() {
    let tree = Tree::with(&["small"]);
    File::create(tree.path("sparse")).unwrap().set_len(1 << 40).unwrap();
    let begun = Instant::now();
    let refused = tree.collect(&["**"]).unwrap_err();
    assert!(begun.elapsed() < Duration::from_secs(1));
    assert_eq!(lines_of(&refused), ["sparse is larger than 25 MiB"]);
    assert_eq!(paths(&refused.files), ["small"]);
}

#[test]
fn a_file_at_the_limit_is_read_and_one_byte_more_is_refused() {
    let tree = Tree::with(&[]);
    tree.write("a", "12345");
    tree.write("b", "123456");
    let limits = TreeLimits { file_bytes: 5, ..LIMITS };
    assert_eq!(refusal(tree.collect_with(&patterns(&["**"], ""), &limits)), ["b is larger than 5 bytes"]);
}

#[test]
fn a_package_at_the_limit_is_read_and_one_byte_more_is_refused() {
    let many: Vec<String> = (0..20).map(|number| format!("file-{number:02}")).collect();
    let tree = Tree::with(&many.iter().map(String::as_str).collect::<Vec<_>>());
    let everything = patterns(&["**"], "");
    let limits = TreeLimits { package_bytes: 140, ..LIMITS };
    assert_eq!(tree.collect_with(&everything, &limits).unwrap().files.len(), 20);
    let limits = TreeLimits { package_bytes: 139, file_bytes: 50, ..LIMITS };
    tree.write("large", &"x".repeat(51));
    rustix::fs::mkfifoat(CWD, tree.path("pipe"), Mode::RWXU).unwrap();
    for _ in 0..50 {
        let refused = tree.collect_with(&everything, &limits).unwrap_err();
        assert_eq!(
            lines_of(&refused),
            [
                "* the files of the package are larger than 139 bytes together",
                "large is larger than 50 bytes",
                "pipe is a named pipe, not a regular file",
            ]
        );
        assert!(refused.files.is_empty());
    }
}

#[test]
fn sizes_that_would_overflow_a_sum_are_refused() {
    let tree = Tree::with(&[]);
    for name in ["a", "b", "c"] {
        File::create(tree.path(name)).unwrap().set_len(1 << 40).unwrap();
    }
    let limits = TreeLimits { file_bytes: u64::MAX, package_bytes: 1 << 39, ..LIMITS };
    let begun = Instant::now();
    assert_eq!(
        refusal(tree.collect_with(&patterns(&["**"], ""), &limits)),
        ["* the files of the package are larger than 512 GiB together"]
    );
    assert!(begun.elapsed() < Duration::from_secs(1));
}

#[test]
fn too_many_files_stop_the_walk_with_one_fault() {
    let tree = Tree::with(&["a", "b", "c"]);
    tree.link("a", "link");
    let everything = patterns(&["**", "none"], "");
    let limits = TreeLimits { files: 3, ..LIMITS };
    assert_eq!(refusal(tree.collect_with(&everything, &limits)), ["link is a symbolic link, not a regular file"]);
    let limits = TreeLimits { files: 2, ..LIMITS };
    let refused = tree.collect_with(&everything, &limits).unwrap_err();
    assert_eq!(lines_of(&refused), ["* the package has more than 2 files"]);
    assert_eq!(refused.matched, [true, true], "not known, so not complained about");
}

#[test]
fn endless_faults_stop_the_walk_too() {
    let tree = Tree::with(&[]);
    for number in 0..5 {
        tree.link("x", &format!("link-{number}"));
    }
    let limits = TreeLimits { files: 4, ..LIMITS };
    let refused = refusal(tree.collect_with(&patterns(&["**"], ""), &limits));
    assert_eq!(refused, ["* the package has more than 4 files"]);
}

/// Changes its file when the first bytes pass by.
struct Meddler<'a>(Option<Box<dyn FnOnce() + 'a>>);

impl Observe for Meddler<'_> {
    type Facts = ();

    fn chunk(&mut self, _: &[u8]) {
        if let Some(meddle) = self.0.take() {
            meddle();
        }
    }

    fn finish(self) {}
}

fn meddled(tree: &Tree, meddle: impl Fn() + Sync) -> Vec<String> {
    let root = Root::open(&tree.root()).unwrap();
    let everything = patterns(&["**"], "");
    let result = collect(&root, &everything, &LIMITS, |_| (), |_| Meddler(Some(Box::new(&meddle))));
    lines_of(&result.unwrap_err())
}

#[test]
fn a_file_that_grows_shrinks_or_is_rewritten_while_it_is_read_is_refused() {
    let append = |path: &Path| File::options().append(true).open(path).unwrap().write_all(b"more").unwrap();
    let rewrite = |path: &Path| {
        let before = fs::metadata(path).unwrap().modified().unwrap();
        let mut file = File::options().write(true).open(path).unwrap();
        file.write_all(b"X").unwrap();
        file.set_modified(before).unwrap();
    };
    for size in [10, 70_000, 200_000] {
        let tree = Tree::with(&[]);
        let path = tree.path("file");
        let refill = || tree.write("file", &"x".repeat(size));
        let meddlers: [&(dyn Fn() + Sync); 4] = [
            &|| append(&path),
            &|| File::options().write(true).open(&path).unwrap().set_len(5).unwrap(),
            &|| rewrite(&path),
            &|| fs::remove_file(&path).unwrap(),
        ];
        for meddler in meddlers {
            refill();
            assert_eq!(meddled(&tree, meddler), ["file changed while it was read"]);
        }
    }
}

#[test]
fn a_file_that_is_written_after_it_was_read_is_refused() {
    let tree = Tree::with(&["a", "b"]);
    let rewrite = || {
        let mut file = File::options().write(true).open(tree.path("a")).unwrap();
        let before = file.metadata().unwrap().modified().unwrap();
        file.write_all(b"X").unwrap();
        file.set_modified(before).unwrap();
    };
    let root = Root::open(&tree.root()).unwrap();
    let observe = |path: &str| Meddler((path == "b").then_some(Box::new(&rewrite)));
    let refused = collect(&root, &patterns(&["**"], ""), &LIMITS, |_| (), observe).unwrap_err();
    assert_eq!(lines_of(&refused), ["a changed while it was read"]);
}

#[test]
fn a_file_that_is_rewritten_in_place_is_one_of_its_contents_or_refused() {
    const ROUNDS: usize = 60;
    let tree = Tree::with(&[]);
    let contents = ["a", "b"].map(|letter| letter.repeat(400_000));
    tree.write("file", &contents[0]);
    let whole = contents.each_ref().map(|content| <[u8; 32]>::from(Sha256::digest(content)));
    let ended = AtomicBool::new(false);
    let mut torn = 0;
    thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                for content in contents.iter().rev() {
                    let mut file = File::options().write(true).open(tree.path("file")).unwrap();
                    content.as_bytes().chunks(4_000).for_each(|chunk| file.write_all(chunk).unwrap());
                }
            }
        });
        let _end = EndWith(&ended);
        let root = Root::open(&tree.root()).unwrap();
        for _ in 0..ROUNDS {
            match collect(&root, &patterns(&["file"], ""), &LIMITS, |_| (), |_| ()) {
                Ok(collected) => torn += usize::from(!whole.contains(&collected.files[0].sha256)),
                Err(refused) => assert_eq!(lines_of(&refused), ["file changed while it was read"]),
            }
        }
    });
    // A writer that the system holds up between two looks cannot be told from one that has ended.
    assert!(torn * 6 <= ROUNDS, "{torn} of {ROUNDS}");
}

#[test]
fn a_file_that_grows_without_end_is_refused() {
    let tree = Tree::with(&[]);
    tree.write("log", &"x".repeat(1 << 20));
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut log = File::options().append(true).open(tree.path("log")).unwrap();
            while !ended.load(Ordering::Relaxed) {
                log.write_all(&[b'x'; 4096]).unwrap();
                if log.metadata().unwrap().len() > 8 << 20 {
                    log.set_len(1 << 20).unwrap();
                }
            }
        });
        let _end = EndWith(&ended);
        let begun = Instant::now();
        for root in tree.walls() {
            // A read between two writes is a good one: until the first that is not.
            let refused = loop {
                assert!(begun.elapsed() < Duration::from_secs(60));
                if let Err(refused) = collect(&root, &patterns(&["log"], ""), &LIMITS, |_| (), |_| ()) {
                    break refused;
                }
            };
            assert_eq!(lines_of(&refused), ["log changed while it was read"]);
        }
    });
}

#[test]
fn names_that_are_not_utf8_are_refused_only_where_selected() {
    let tree = Tree::with(&["dist/ok"]);
    fs::write(tree.root().join(OsStr::from_bytes(b"dist/bad-\xff")), "x").unwrap();
    fs::create_dir(tree.root().join(OsStr::from_bytes(b"dist/folder-\xff"))).unwrap();
    fs::write(tree.root().join(OsStr::from_bytes(b"other-\xff")), "x").unwrap();
    let refused = tree.collect(&["dist/**"]).unwrap_err();
    assert_eq!(
        lines_of(&refused),
        ["dist/bad-\u{fffd} has a name that is not UTF-8", "dist/folder-\u{fffd} has a name that is not UTF-8"]
    );
    assert!(tree.collect(&["dist/ok"]).is_ok());
    let ignoring = patterns(&["dist/**"], "bad-*\nfolder-*\n");
    assert!(tree.collect_with(&ignoring, &LIMITS).is_ok());
}

#[test]
fn folders_nest_as_deep_as_allowed_and_no_deeper() {
    let tree = Tree::with(&[]);
    let deepest = ["d"; 32].join("/");
    tree.write(&format!("{deepest}/file"), "x");
    assert_eq!(tree.collect(&["**"]).unwrap().files.len(), 1);
    tree.write(&format!("{deepest}/d/file"), "x");
    let refused = tree.collect(&["**"]).unwrap_err();
    assert_eq!(lines_of(&refused), [format!("{deepest}/d lies deeper than 32 folders")]);
    assert_eq!(refused.files.len(), 1);
}

#[test]
fn unreadable_files_and_folders_are_all_told() {
    if rerun::as_nobody("tree::collect::tests::unreadable_files_and_folders_are_all_told") {
        return;
    }
    let tree = Tree::with(&["a", "b", "folder/x", "ignored/x"]);
    for path in ["a", "folder", "ignored"] {
        fs::set_permissions(tree.path(path), fs::Permissions::from_mode(0o000)).unwrap();
    }
    let refused = tree.collect_with(&patterns(&["**"], "ignored"), &LIMITS).unwrap_err();
    for path in ["folder", "ignored"] {
        fs::set_permissions(tree.path(path), fs::Permissions::from_mode(0o755)).unwrap();
    }
    assert_eq!(refused.faults.iter().filter_map(TreeFault::path).collect::<Vec<_>>(), ["a", "folder"]);
    assert!(refused.faults.iter().all(|fault| matches!(fault, TreeFault::Unreadable { .. })));
    assert_eq!(paths(&refused.files), ["b"]);
}

#[test]
fn all_faults_of_all_sorts_are_told_in_one_run_in_one_order() {
    let tree = Tree::with(&["z", "a/ok"]);
    tree.link("z", "b-link");
    File::create(tree.path("huge")).unwrap().set_len(1 << 40).unwrap();
    rustix::fs::mkfifoat(CWD, tree.path("a/pipe"), Mode::RWXU).unwrap();
    let expected = [
        "a/pipe is a named pipe, not a regular file",
        "b-link is a symbolic link, not a regular file",
        "huge is larger than 25 MiB",
    ];
    assert_eq!(refusal(tree.collect(&["**"])), expected);
    assert_eq!(refusal(tree.collect(&["z", "huge", "b-link", "a"])), expected);
}

#[test]
fn the_table_does_not_depend_on_the_order_of_creation_or_on_threads() {
    let mut names: Vec<String> =
        (0..60).map(|number| format!("{}/f{number}", ["b", "a", "a-b", "Z", "ä", "a/x"][number % 6])).collect();
    names.extend(["a.b".to_owned(), "B".to_owned()]);
    let forwards = Tree::with(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let backwards = Tree::with(&names.iter().rev().map(String::as_str).collect::<Vec<_>>());
    names.sort_by(|a, b| a.as_bytes().cmp(b.as_bytes()));
    let first = forwards.collect(&["**"]).unwrap().files;
    assert_eq!(paths(&first), names);
    assert_eq!(backwards.collect(&["**"]).unwrap().files, first);
    for threads in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| forwards.collect(&["**"])).unwrap().files, first);
    }
}

#[test]
fn many_files_are_hashed_as_one_by_one() {
    let tree = Tree::with(&[]);
    let mut expected = BTreeMap::new();
    for (number, size) in [0, 1, 63, 64, 65, 65_535, 65_536, 65_537, 131_072, 300_001].into_iter().enumerate() {
        for copy in 0..5 {
            let content: Vec<u8> = (0..size).map(|at: usize| (at * 31 + number + copy) as u8).collect();
            let path = format!("d{copy}/f{number}");
            tree.write(&path, "");
            fs::write(tree.path(&path), &content).unwrap();
            expected.insert(path, (content.len() as u64, <[u8; 32]>::from(Sha256::digest(&content))));
        }
    }
    let found: BTreeMap<String, (u64, [u8; 32])> =
        tree.collect(&["**"]).unwrap().files.into_iter().map(|file| (file.path, (file.size, file.sha256))).collect();
    assert_eq!(found, expected);
}

#[test]
fn the_observer_sees_every_byte_once_and_in_order() {
    struct Keep(String, Vec<u8>);
    impl Observe for Keep {
        type Facts = (String, Vec<u8>);
        fn chunk(&mut self, bytes: &[u8]) {
            assert!(!bytes.is_empty());
            self.1.extend_from_slice(bytes);
        }
        fn finish(self) -> Self::Facts {
            (self.0, self.1)
        }
    }
    let tree = Tree::with(&["a", "b/c"]);
    tree.write("empty", "");
    tree.write("long", &"0123456789".repeat(20_000));
    let all = patterns(&["**"], "");
    let collected =
        collect(&Root::open(&tree.root()).unwrap(), &all, &LIMITS, |_| (), |path| Keep(path.to_owned(), Vec::new()))
            .unwrap();
    assert_eq!(paths(&collected.files), ["a", "b/c", "empty", "long"]);
    for file in collected.files {
        assert_eq!(file.facts.0, file.path);
        assert_eq!(file.facts.1, fs::read(tree.path(&file.path)).unwrap());
        assert_eq!(file.sha256, <[u8; 32]>::from(Sha256::digest(&file.facts.1)));
    }
}

#[test]
fn the_ignore_file_leaves_out_files_and_whole_folders() {
    let tree = Tree::with(&["dist/a.js", "dist/a.js.map", "dist/deep/keep.map", "build/x", "build/y"]);
    tree.write("dist/.svcignore", "*\n");
    tree.write(".gitignore", "*\n");
    let ignoring = patterns(&["dist", "build", "**/*.js"], "*.map\n!keep.map\nbuild/\n!build/y\n");
    let collected = tree.collect_with(&ignoring, &LIMITS).unwrap();
    assert_eq!(paths(&collected.files), ["dist/.svcignore", "dist/a.js", "dist/deep/keep.map"]);
    assert_eq!(collected.matched, [true, false, true]);
}

#[test]
fn what_is_left_out_is_not_looked_at() {
    let tree = Tree::with(&["a", "svc-registry/x", "out.json", "d/out.json"]);
    tree.link("loop", "svc-registry/loop");
    let left_out = ["svc-registry".to_owned(), "out.json".to_owned()];
    let patterns = Patterns::compile(&["**".to_owned()], None, &left_out).unwrap();
    assert_eq!(paths(&tree.collect_with(&patterns, &LIMITS).unwrap().files), ["a", "d/out.json"]);
}

#[test]
fn the_manifest_and_the_ignore_file_are_never_in_the_table() {
    let tree = Tree::with(&["svc-app.json", ".svcignore", "sub/svc-app.json", "a"]);
    let collected = tree.collect(&["**", "svc-app.json"]).unwrap();
    assert_eq!(paths(&collected.files), ["a", "sub/svc-app.json"]);
    assert_eq!(collected.matched, [true, true], "it is there, the author is not to be bothered");
}

#[test]
fn a_pattern_that_matches_nothing_is_known() {
    let tree = Tree::with(&["dist/a.js"]);
    fs::create_dir(tree.path("empty")).unwrap();
    let collected = tree.collect(&["dist/**", "*.md", "empty", "dist/a.js"]).unwrap();
    assert_eq!(collected.matched, [true, false, false, true]);
    assert!(tree.collect(&[]).unwrap().files.is_empty());
}

#[test]
fn folders_no_pattern_can_reach_are_not_opened() {
    if rerun::as_nobody("tree::collect::tests::folders_no_pattern_can_reach_are_not_opened") {
        return;
    }
    let tree = Tree::with(&["dist/a.js", "node_modules/x", "index.html"]);
    fs::set_permissions(tree.path("node_modules"), fs::Permissions::from_mode(0o000)).unwrap();
    let collected = tree.collect(&["dist/**", "*.html"]);
    fs::set_permissions(tree.path("node_modules"), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(paths(&collected.unwrap().files), ["dist/a.js", "index.html"]);
}

#[test]
fn hard_links_are_plain_files() {
    let tree = Tree::with(&["a"]);
    fs::hard_link(tree.path("a"), tree.path("b")).unwrap();
    let files = tree.collect(&["**"]).unwrap().files;
    assert_eq!(files[0].sha256, files[1].sha256);
}
