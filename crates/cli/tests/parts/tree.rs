//! Which crates each part is built from: what is built before the first command can run is what its user waits for.

use std::{collections::BTreeSet, process::Command};

use crate::run::repository;

/// What serves, keeps and proves, and what is not Rust.
const LEFT_OUT: [&str; 14] = [
    "svc-allocator",
    "svc-client",
    "svc-journal",
    "svc-server",
    "svc-verify",
    "hyper",
    "libsqlite3-sys",
    "ring",
    "rusqlite",
    "rustls",
    "tikv-jemallocator",
    "tokio",
    "tokio-postgres",
    "url",
];

/// What compiles C, or looks for a library that is C.
const C_TOOLS: [&str; 5] = ["autotools", "bindgen", "cc", "cmake", "pkg-config"];

/// Numbers of the kernel's interface, written down in Rust.
const PURE_RUST: [&str; 1] = ["linux-raw-sys"];

/// The names of the crates that svc is built from with these options.
fn crates(options: &[&str]) -> BTreeSet<String> {
    let mut tree = Command::new(env!("CARGO"));
    tree.args(["tree", "--locked", "--package", "svc", "--edges", "normal,build", "--prefix", "none"]).args(options);
    let output = tree.current_dir(repository("")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

#[test]
fn the_authors_part_has_no_network_no_database_and_no_c() {
    let found = crates(&["--no-default-features"]);
    assert!(found.contains("svc-core"), "{found:?}");
    for name in LEFT_OUT.iter().chain(&C_TOOLS) {
        assert!(!found.contains(*name), "{name} is back");
    }
    let foreign = found.iter().find(|name| name.ends_with("-sys") && !PURE_RUST.contains(&name.as_str()));
    assert_eq!(foreign, None);
}

/// An allocator takes longer to build than everything else; ICU's tables would be for URLs that nothing here reads. Those
/// that the parser of scripts brings along for its own messages are beneath the crate of facts, and nowhere else.
#[test]
fn the_first_build_waits_for_no_allocator_and_no_unicode_tables() {
    let found = crates(&["--prune", "svc-facts"]);
    assert!(found.contains("svc-server"), "{found:?}");
    let unwanted = found.iter().find(|name| name.contains("jemalloc") || name.starts_with("icu_"));
    assert_eq!(unwanted, None);
}
