//! What the container's recipe copies is what the workspace needs, and what the units allow is what the service needs.

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

/// The values that a unit gives a name, in order.
fn values<'u>(unit: &'u str, name: &str) -> Vec<&'u str> {
    unit.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix('=')).collect()
}

#[test]
fn the_units_allow_what_the_service_needs_and_agree_with_its_settings() {
    let read = |name: &str| fs::read_to_string(repository(&format!("deploy/{name}"))).unwrap();
    let (service, socket, settings) =
        (read("svc-registry.service"), read("svc-registry.socket"), read("svc-registry.toml"));
    // Without it the notice that it is ready does not reach systemd, which then ends it.
    assert_eq!(values(&service, "Type"), ["notify"]);
    assert!(values(&service, "RestrictAddressFamilies")[0].split(' ').any(|family| family == "AF_UNIX"));
    // What may not be run cannot reload or start it.
    let allowed: Vec<&str> = values(&service, "ExecPaths")[0].split(' ').collect();
    for command in ["ExecStartPre", "ExecStart", "ExecReload"] {
        let program = values(&service, command)[0].split(' ').next().unwrap();
        assert!(allowed.contains(&program), "{command}: {program}");
    }
    assert!(values(&service, "ExecReload")[0].ends_with(" -HUP $MAINPID"));
    let settings = |name: &str| {
        let line = settings.lines().find_map(|line| line.strip_prefix(&format!("{name} = \""))).unwrap();
        line.trim_end_matches('"').to_owned()
    };
    assert_eq!(values(&socket, "ListenStream"), [settings("bind"), settings("admin-bind")]);
    assert_eq!(values(&socket, "IPAddressAllow"), values(&service, "IPAddressAllow"));
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    if from.is_dir() {
        copy_folder(from, to);
    } else {
        fs::copy(from, to).unwrap();
    }
}
