//! A start that is refused changes nothing: whoever mends the damage finds every record.
//!
//! Each row of the table is started as `svc-registry serve` starts the journal. A refusal leaves every file but `-shm` as it was, and
//! once the damage is undone all records are there. What is no damage starts with all records.

use std::{fs, os::unix::fs::PermissionsExt as _, process::Command};

use svc_core::journal::delivery::EndpointName;
use svc_journal::{
    endpoint::{CountedLog, EventEndpoint, NewEndpoint},
    endpoints, export,
    folder::DataFolder,
};
use svc_proof::{
    fault::JournalFaultKind::{Corrupt, Drift, OpenClaim, Rewound, Unusable, WrongKey},
    tree::leaf_hash,
};

use crate::{
    damage::{
        Damage,
        Expected::{Refused, RefusedOrStarts, RefusedSomehow, Starts, StartsWithSigned},
        FRAME, HEADER, Table,
    },
    image::{DATABASE, Images, LOCK, SHM, Scene, WAL, all_records},
};

#[test]
fn a_refused_start_leaves_every_file_as_it_was() {
    let images = Images::make();
    let table = Table::of(&images);
    let (rows, mut refused, mut whole, mut wrong) = (table.len(), 0, 0, Vec::new());
    for (number, damage) in table.iter().enumerate() {
        match started(damage, number % 2 == 1) {
            Ok(true) => refused += 1,
            Ok(false) => whole += usize::from(damage.expected != StartsWithSigned),
            Err(error) => wrong.push(format!("{}: {error}", damage.name)),
        }
    }
    println!("{rows} kinds and places of damage, {refused} refused, {whole} started with every record");
    assert!(wrong.is_empty(), "{} of {rows} rows:\n{}", wrong.len(), wrong.join("\n"));
    assert!(refused >= 150, "{refused} refusals");
}

/// Whether the start was refused; why the row does not hold.
fn started(damage: &Damage<'_>, without_lock_file: bool) -> Result<bool, String> {
    let scene = damage.image.scene();
    if without_lock_file {
        scene.remove(LOCK);
    }
    (damage.does)(&scene);
    let before = scene.state();
    let fault = match scene.location().write() {
        Ok(journal) => {
            let records = all_records(&journal);
            let (all, signed) = (&damage.image.records, damage.image.signed);
            let is_expected = match damage.expected {
                Refused(_) | RefusedSomehow => false,
                Starts | RefusedOrStarts => records == *all,
                StartsWithSigned => records.len() >= signed && all.starts_with(&records),
            };
            let wrong = || format!("{:?}, and it starts with {} of {}", damage.expected, records.len(), all.len());
            return if is_expected { Ok(false) } else { Err(wrong()) };
        }
        Err(fault) => fault,
    };
    let is_expected = match damage.expected {
        Refused(kind) => fault.kind == kind,
        RefusedSomehow | RefusedOrStarts => {
            matches!(fault.kind, Corrupt | Rewound | Drift | OpenClaim | Unusable | WrongKey)
        }
        Starts | StartsWithSigned => false,
    };
    if !is_expected {
        return Err(format!("{:?}, and it is {fault}", damage.expected));
    }
    let after = scene.state();
    if after != before {
        return Err(format!("refused with {fault}, and changed:\n{before:#?}\n{after:#?}"));
    }
    scene.put_right();
    let journal = scene.location().write().map_err(|fault| format!("put right, and still {fault}"))?;
    let records = all_records(&journal).len();
    if all_records(&journal) == damage.image.records { Ok(true) } else { Err(format!("put right, {records} are left")) }
}

/// Deliveries were counted in a log that the folder no longer has.
#[test]
fn an_endpoint_that_counted_a_newer_log_keeps_an_older_one_from_its_start() {
    let images = Images::make();
    let newest = DataFolder::at(images.killed.scene().path("").as_path()).public_keys().unwrap().unwrap();
    let scene = images.killed.scene();
    let counted = DataFolder::at(&scene.location().folder).checkpoint(&newest).unwrap().unwrap();
    let add = |scene: &Scene, counted: CountedLog| {
        let (name, url) = (EndpointName::parse("audit").unwrap(), "https://hooks.example/in".into());
        let given = NewEndpoint { name, url, types: Vec::new(), batch: 7, from: 3, counted };
        let store = endpoints::open_or_create(&scene.location()).unwrap();
        assert!(store.insert(&EventEndpoint::new(given, 5).unwrap()).unwrap());
    };
    let state = CountedLog::new(counted.size(), counted.root());
    add(&scene, state.clone());
    assert_eq!(all_records(&scene.location().write().unwrap()).len(), 100, "it counted this log");
    for (image, state) in [
        (&images.earlier, state),
        (&images.killed, CountedLog::new(100, &leaf_hash(b"another history"))),
        (&images.killed, CountedLog::new(7, &leaf_hash(b"another history"))),
    ] {
        let scene = image.scene();
        add(&scene, state);
        let before = scene.state();
        let fault = scene.location().write().map(|_| ()).unwrap_err();
        assert_eq!(fault.kind, Rewound, "{fault}");
        assert!(fault.detail.contains("the webhook endpoint `audit` in "), "{fault}");
        assert_eq!(scene.location().try_write(None).unwrap_err(), fault);
        let reading = scene.location().read().unwrap();
        assert_eq!(scene.location().check_remembered(&reading).unwrap_err(), fault);
        drop(reading);
        assert_eq!(scene.state(), before);
    }
    // Nothing but the endpoints is left: no other log begins here.
    let scene = images.killed.scene();
    add(&scene, CountedLog::new(counted.size(), counted.root()));
    for name in scene.state().into_keys().filter(|name| name.starts_with("journal.")) {
        scene.remove(&name);
    }
    scene.remove(SHM);
    let fault = scene.location().write().map(|_| ()).unwrap_err();
    assert!(fault.kind == Rewound && fault.detail.contains("there is none here"), "{fault}");
}

/// Commands that read do so beside a service that was killed, stopped, or whose files were copied without a log.
#[test]
fn reading_leaves_every_file_as_it_was() {
    let images = Images::make();
    let out = tempfile::tempdir().unwrap();
    for (number, (image, without)) in [
        (&images.killed, None),
        (&images.killed, Some(SHM)),
        (&images.ahead, None),
        (&images.anew, None),
        (&images.stopped, None),
        (&images.stopped, Some(WAL)),
    ]
    .into_iter()
    .enumerate()
    {
        let scene = image.scene();
        without.inspect(|name| scene.remove(name));
        let before = scene.state();
        let reading = scene.location().read().unwrap();
        let seen = export::export(&reading, &out.path().join(number.to_string()), &mut |_| {}).unwrap();
        assert_eq!(seen.records, image.records.len() as u64, "{number}");
        drop(reading);
        assert_eq!(scene.state(), before, "{number}");
    }
    // SQLite gives an empty log the mode of its database, and a pipe would be waited for.
    let scene = images.stopped.scene();
    fs::set_permissions(scene.path(DATABASE), fs::Permissions::from_mode(0o644)).unwrap();
    scene.remove(LOCK);
    assert!(Command::new("mkfifo").arg(scene.path(LOCK)).status().unwrap().success());
    let before = scene.state();
    drop(scene.location().read().unwrap());
    assert_eq!(scene.state(), before);
    // A part is not shown as the whole, and what tells so is still there for the start.
    let cut = |scene: &Scene| scene.change(WAL, |bytes| bytes.truncate(bytes.len() - FRAME));
    let flipped = |scene: &Scene| scene.change(WAL, |bytes| bytes[HEADER + 3 * FRAME + 50] ^= 1);
    for (image, damage) in [(&images.killed, &flipped as &dyn Fn(&Scene)), (&images.ahead, &cut)] {
        let scene = image.scene();
        damage(&scene);
        let before = scene.state();
        assert_eq!(scene.location().read().map(|_| ()).unwrap_err().kind, Corrupt);
        assert_eq!(scene.location().write().map(|_| ()).unwrap_err().kind, Corrupt);
        assert_eq!(scene.state(), before);
    }
}
