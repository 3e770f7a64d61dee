//! Many writers of one `--out`: whoever reads it, at any time, reads one complete file.

use std::{
    fs,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
};

use svc_core::words::kind;

use crate::{
    bundle::{Bundle, example},
    campaign::{self, Record},
    folder,
    svc::{Svc, app},
};

#[test]
fn many_writers_of_one_file_leave_one_complete_file() {
    let writers = campaign::count(16, 64);
    let rounds = campaign::count(3, 50);
    let folder = folder::empty();
    let out = folder.path().join("out.json");
    let expected: Vec<Vec<u8>> = campaign::in_parallel(&numbers(writers), |number| {
        let run = writer(*number).args(["--out", "-"]).run();
        run.exits(0);
        run.stdout
    });
    let mut found = Vec::new();
    let done = AtomicBool::new(false);
    let reads = AtomicUsize::new(0);
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut torn = 0;
            while !done.load(Ordering::Relaxed) {
                let Ok(bytes) = fs::read(&out) else { continue };
                reads.fetch_add(1, Ordering::Relaxed);
                torn += usize::from(!expected.contains(&bytes));
            }
            torn
        });
        for round in 0..rounds {
            let children: Vec<_> =
                (0..writers).map(|number| writer(number).args(["--out"]).args([&out]).spawn()).collect();
            let failed = children.into_iter().filter_map(|mut child| {
                let status = child.wait().unwrap();
                (!status.success()).then(|| format!("round {round}: a writer ended with {status}"))
            });
            found.extend(failed.collect::<Vec<_>>());
            let left = folder::contents(folder.path());
            if left.len() != 1 || !left.values().all(|bytes| expected.contains(bytes)) {
                found.push(format!("round {round} left {:?}", left.keys()));
            }
        }
        done.store(true, Ordering::Relaxed);
        let torn = reader.join().unwrap();
        if torn > 0 {
            found.push(format!("{torn} reads gave a file that nobody wrote"));
        }
    });
    let counts = vec![
        ("writers at once".to_owned(), writers),
        ("rounds".to_owned(), rounds),
        ("reads meanwhile".to_owned(), reads.into_inner()),
    ];
    let tried = "Processes write different submissions to one `--out` at once, while another reads it all the time.";
    Record { name: "writers", tried, counts, found }.close();
}

#[test]
fn writers_of_the_same_content_do_not_disturb_each_other() {
    let bundle = Bundle::new();
    let path = bundle.path(&kind::SUBMISSION);
    let before = fs::read(&path).unwrap();
    let repeat = || app(["pack"]).args([example("weather-board").join("svc-app.json")]).args(["--out"]).args([&path]);
    let children: Vec<_> = (0..16).map(|_| repeat().spawn()).collect();
    assert!(children.into_iter().all(|mut child| child.wait().unwrap().success()));
    assert!(fs::read(&path).unwrap() == before);
    assert_eq!(folder::contents(bundle.folder()).len(), 7);
}

/// A writer whose submission names it as the owner.
fn writer(number: usize) -> Svc {
    let manifest = example("weather-board").join("svc-app.json");
    let name = format!("Writer {number}");
    app(["pack"]).args([manifest]).args(["--owner-id", "acme", "--owner-name", &name])
}

fn numbers(count: usize) -> Vec<usize> {
    (0..count).collect()
}
