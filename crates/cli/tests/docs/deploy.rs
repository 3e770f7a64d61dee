//! What the container's recipe copies is what the workspace needs.

use std::{fs, path::Path, process::Command};

use crate::run::{copy_folder, repository};

#[test]
fn the_container_gets_everything_that_the_workspace_names() {
    let folder = tempfile::tempdir().unwrap();
    let recipe = fs::read_to_string(repository("deploy/Containerfile")).unwrap();
    let build = recipe.split("\nFROM ").nth(1).unwrap();
    let copies: Vec<Vec<&str>> =
        build.lines().filter_map(|line| Some(line.strip_prefix("COPY ")?.split(' ').collect::<Vec<_>>())).collect();
    assert!(copies.len() > 3, "{copies:?}");
    for words in &copies {
        let (target, sources) = words.split_last().unwrap();
        for source in sources {
            let name = if *target == "./" { source } else { target };
            copy(&repository(source), &folder.path().join(name));
        }
    }
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(folder.path()).args(["metadata", "--no-deps", "--offline", "--format-version", "1"]);
    let read = cargo.output().unwrap();
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    let read: serde_json::Value = serde_json::from_slice(&read.stdout).unwrap();
    let here = repository("crates");
    let members = fs::read_dir(here).unwrap().count() + 1;
    assert_eq!(read["workspace_members"].as_array().unwrap().len(), members);
    assert!(build.contains("--release --package svc --features jemalloc"), "the allocator of the released program");
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    if from.is_dir() {
        copy_folder(from, to);
    } else {
        fs::copy(from, to).unwrap();
    }
}
