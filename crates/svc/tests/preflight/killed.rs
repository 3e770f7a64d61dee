//! A run that is killed at any moment leaves the whole old bundle, the whole new one, or none where there was none.

use std::{
    fs,
    path::PathBuf,
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use crate::{
    run::program,
    workplace::{Workplace, files_in},
};

const KILLS: u32 = 20;

#[test]
fn a_killed_run_leaves_the_old_bundle_or_the_new_one() {
    let here = Workplace::new();
    let versions = ["1.3.0", "1.4.0"];
    let bundles = versions.map(|version| {
        here.set_version(version);
        here.svc(&["app", "preflight", "app", "--out-dir", version]).exits(0);
        files_in(&here.path(version)).unwrap()
    });
    let whole = duration(&here);
    let mut seen = [0, 0];
    for kill in 0..KILLS {
        let next = usize::try_from(kill % 2).unwrap();
        here.set_version(versions[next]);
        let before = files_in(&here.path("bundle"));
        killed_after(&here, whole * kill / KILLS);
        // What a run leaves that is killed while it writes, which takes but a moment of it.
        fs::create_dir(here.path(".bundle.4000000-0.tmp")).unwrap();
        fs::write(here.path(".bundle.4000000-0.tmp/svc-registry-index.json"), "{").unwrap();
        let after = files_in(&here.path("bundle"));
        let is_new = after.as_ref() == Some(&bundles[next]);
        assert!(is_new || after == before, "a mix after {:?}: {:?}", whole * kill / KILLS, after.map(|it| it.len()));
        seen[usize::from(is_new)] += 1;
        here.svc(&["app", "preflight", "app", "--out-dir", "bundle"]).exits(0);
        assert_eq!(files_in(&here.path("bundle")).as_ref(), Some(&bundles[next]), "the next run is as any other");
        let left: Vec<_> =
            here.listing().into_iter().filter(|path| path.extension().is_some_and(|end| end == "tmp")).collect();
        assert_eq!(left, [] as [PathBuf; 0], "the next run clears away what the killed one left");
    }
    assert!(seen[0] > 0, "every run ended before it was killed");
}

#[test]
fn a_killed_first_run_leaves_no_bundle_or_a_whole_one() {
    let here = Workplace::new();
    here.svc(&["app", "preflight", "app", "--out-dir", "expected"]).exits(0);
    let expected = files_in(&here.path("expected"));
    let whole = duration(&here);
    for kill in 0..KILLS {
        let _ = fs::remove_dir_all(here.path("bundle"));
        killed_after(&here, whole * kill / KILLS);
        let after = files_in(&here.path("bundle"));
        assert!(after.is_none() || after == expected, "a part after {:?}", whole * kill / KILLS);
    }
}

/// How long a run takes that writes.
fn duration(here: &Workplace) -> Duration {
    let start = Instant::now();
    here.svc(&["app", "preflight", "app", "--out-dir", "timed"]).exits(0);
    start.elapsed()
}

fn killed_after(here: &Workplace, moment: Duration) {
    let mut command = program(here.folder(), &["app", "preflight", "app", "--out-dir", "bundle"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    thread::sleep(moment);
    child.kill().unwrap();
    child.wait().unwrap();
}
