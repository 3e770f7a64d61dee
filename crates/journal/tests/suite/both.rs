//! What holds in both stores.

use std::{collections::BTreeSet, sync::Arc};

use svc_archive::folder_files::FolderFiles;
use svc_journal::{export, joining::Joining, log_key::LogKey, store_source::StoreSource, transfer};
use svc_proof::{
    audit,
    fault::{JournalFault, JournalFaultKind},
    receipt,
};

use crate::{
    drafts,
    place::{Place, record},
};

in_both_stores! {
    what_was_changed_behind_its_back_is_found_at_the_next_start,
    an_old_copy_is_noticed,
    another_key_does_not_continue_a_log,
    tables_of_another_version_are_not_touched,
    two_processes_do_not_share_a_folder,
    every_answered_record_is_in_the_log_once_and_proves_itself,
    a_log_goes_on_where_it_ended,
    a_log_leaves_and_comes_back,
    a_changed_file_of_an_exported_log_is_found,
    an_empty_log_holds,
    a_clock_that_is_set_back_is_told_and_breaks_nothing,
}

/// Changes, and what each is called.
const CHANGES: &[(&str, JournalFaultKind)] = &[
    ("UPDATE entry SET record = (SELECT record FROM entry WHERE place = 4) WHERE place = 5", JournalFaultKind::Corrupt),
    ("UPDATE entry SET hashes = (SELECT hashes FROM entry WHERE place = 4) WHERE place = 6", JournalFaultKind::Corrupt),
    ("UPDATE entry SET record = X'7b7d' WHERE place = 0", JournalFaultKind::Corrupt),
    ("UPDATE entry SET hashes = X'00' WHERE place = 2", JournalFaultKind::Corrupt),
    ("DELETE FROM entry WHERE place = 3", JournalFaultKind::Corrupt),
    ("DELETE FROM entry WHERE place = 0", JournalFaultKind::Corrupt),
    ("UPDATE entry SET place = 100 WHERE place = 9", JournalFaultKind::Rewound),
    ("UPDATE head SET size = 9", JournalFaultKind::Rewound),
    ("UPDATE head SET size = 12", JournalFaultKind::Rewound),
    ("UPDATE head SET size = 7", JournalFaultKind::Corrupt),
    ("UPDATE head SET size = -1", JournalFaultKind::Corrupt),
    ("UPDATE head SET root = (SELECT substr(hashes, 1, 32) FROM entry WHERE place = 0)", JournalFaultKind::Corrupt),
    ("UPDATE head SET edge = X''", JournalFaultKind::Corrupt),
    ("DELETE FROM head", JournalFaultKind::Corrupt),
    ("DELETE FROM log_key", JournalFaultKind::Corrupt),
    ("UPDATE log_key SET public = 'x'", JournalFaultKind::Corrupt),
    ("INSERT INTO minimum_index VALUES (1, 'x')", JournalFaultKind::Corrupt),
    ("INSERT INTO hand_over VALUES (2, 'x')", JournalFaultKind::Corrupt),
];

fn what_was_changed_behind_its_back_is_found_at_the_next_start(place: &Place) {
    place.fill(10);
    for (change, kind) in CHANGES {
        place.sql(
            "DROP TABLE IF EXISTS public.e; DROP TABLE IF EXISTS public.h; DROP TABLE IF EXISTS public.k;
                   CREATE TABLE public.e AS SELECT * FROM entry; CREATE TABLE public.h AS SELECT * FROM head;
                   CREATE TABLE public.k AS SELECT * FROM log_key;",
        );
        place.sql(change);
        let fault = place.location.write().map(|_| ()).unwrap_err();
        let named =
            fault.kind == *kind || (fault.kind == JournalFaultKind::Corrupt && *kind == JournalFaultKind::Rewound);
        assert!(named, "{change}: {fault}");
        place.sql(
            "DELETE FROM entry; DELETE FROM head; DELETE FROM log_key; DELETE FROM minimum_index;
                   DELETE FROM hand_over; INSERT INTO entry SELECT * FROM public.e;
                   INSERT INTO head SELECT * FROM public.h; INSERT INTO log_key SELECT * FROM public.k;",
        );
        drop(place.location.write().unwrap_or_else(|fault| panic!("put back after {change}: {fault}")));
    }
}

fn an_old_copy_is_noticed(place: &Place) {
    place.fill(6);
    place.sql("CREATE TABLE public.h AS SELECT * FROM head");
    place.fill(3);
    place.sql("DELETE FROM entry WHERE place >= 6; DELETE FROM head; INSERT INTO head SELECT * FROM public.h");
    let fault = place.location.write().map(|_| ()).unwrap_err();
    assert_eq!(fault.kind, JournalFaultKind::Rewound, "{fault}");
    // The copy holds in itself: this is why a checkpoint is kept elsewhere, or by whoever has a receipt.
    std::fs::remove_file(place.file("journal.checkpoint")).unwrap();
    let fault = place.location.write().map(|_| ()).unwrap_err();
    assert!(fault.kind == JournalFaultKind::Rewound && fault.detail.contains("journal.signed remembers"), "{fault}");
    std::fs::remove_file(place.file("journal.signed")).unwrap();
    let shared = matches!(place.location.backend, svc_journal::open::Backend::Shared(_));
    let expected = if shared { JournalFaultKind::Unremembered } else { JournalFaultKind::Rewound };
    assert_eq!(place.location.write().map(|_| ()).unwrap_err().kind, expected);
}

fn another_key_does_not_continue_a_log(place: &Place) {
    place.fill(2);
    let key = place.file("journal.key");
    let own = std::fs::read_to_string(&key).unwrap();
    let kind = || place.location.write().map(|_| ()).unwrap_err().kind;
    let origin = LogKey::parse(&own).unwrap().origin().to_owned();
    for other in [LogKey::generate().unwrap(), LogKey::generate_for(&origin).unwrap()] {
        std::fs::write(&key, other.to_file()).unwrap();
        assert_eq!(kind(), JournalFaultKind::WrongKey);
    }
    std::fs::write(&key, "not a key\n").unwrap();
    assert_eq!(kind(), JournalFaultKind::WrongKey);
    std::fs::remove_file(&key).unwrap();
    assert_eq!(kind(), JournalFaultKind::WrongKey);
    assert!(!key.exists(), "no new key is made for an old log");
    std::fs::write(&key, &own).unwrap();
    let open_to_others = std::os::unix::fs::PermissionsExt::from_mode(0o640);
    std::fs::set_permissions(&key, open_to_others).unwrap();
    assert_eq!(kind(), JournalFaultKind::WrongKey);
    std::fs::set_permissions(&key, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    place.fill(1);
}

fn tables_of_another_version_are_not_touched(place: &Place) {
    place.fill(1);
    for (change, back) in [
        (
            "UPDATE migration SET checksum = checksum || 'x'",
            "UPDATE migration SET checksum = replace(checksum, 'x', '')",
        ),
        ("INSERT INTO migration VALUES (3, 'x')", "DELETE FROM migration WHERE number = 3"),
    ] {
        place.sql(change);
        assert_eq!(place.location.write().map(|_| ()).unwrap_err().kind, JournalFaultKind::Drift, "{change}");
        assert_eq!(place.location.read().map(|_| ()).unwrap_err().kind, JournalFaultKind::Drift, "{change}");
        place.sql(back);
    }
    place.fill(1);
}

fn two_processes_do_not_share_a_folder(place: &Place) {
    let first = place.open();
    assert_eq!(place.location.write().map(|_| ()).unwrap_err().kind, JournalFaultKind::Locked);
    first.record_blocking(drafts::denied(0)).unwrap();
    drop(first);
    place.fill(1);
}

fn every_answered_record_is_in_the_log_once_and_proves_itself(place: &Place) {
    let journal = Arc::new(place.open());
    let threads: Vec<_> = (0..16)
        .map(|_| {
            let journal = Arc::clone(&journal);
            std::thread::spawn(move || {
                (0..20).map(|number| record(&journal, drafts::mixed(number))).collect::<Vec<_>>()
            })
        })
        .collect();
    let receipts: Vec<_> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    let places: BTreeSet<u64> = receipts.iter().map(|receipt| receipt.index.get()).collect();
    assert_eq!(places, (0..320).collect());
    assert!(journal.counts().batches < 320, "records share a flush");
    for given in &receipts {
        let proven = receipt::check(given, journal.keys()).unwrap();
        let kept = journal.store().rows(given.index.get(), 1).unwrap();
        assert_eq!(kept[0].record.as_deref(), Some(proven.record.to_bytes().as_slice()));
    }
    let (seen, tree) = audit::audit(&mut StoreSource::new(journal.store().as_ref()), Vec::new(), &mut |_| {}).unwrap();
    assert_eq!((seen.records, seen.refused, tree.size()), (320, 16 * 7, 320));
}

fn a_log_goes_on_where_it_ended(place: &Place) {
    let mut all = Vec::new();
    for _ in 0..5 {
        all.extend(place.fill(7));
    }
    assert!(all.iter().zip(0..).all(|(receipt, place)| receipt.index.get() == place));
    let reading = place.location.read().unwrap();
    for given in all {
        receipt::check(&given, &reading.keys).unwrap();
        let again = transfer::prove(&reading, given.index.get()).unwrap();
        assert_eq!(again.record, given.record);
        assert_eq!(again.tree_size.get(), 35);
        receipt::check(&again, &reading.keys).unwrap();
    }
    assert_eq!(transfer::prove(&reading, 35).unwrap_err().kind, JournalFaultKind::Missing);
}

fn a_log_leaves_and_comes_back(place: &Place) {
    place.fill(300);
    let out = place.folder.path().join("out");
    let reading = place.location.read().unwrap();
    assert_eq!(export::export(&reading, &out, &mut |_| {}).unwrap().records, 300);
    let again = export::export(&reading, &out, &mut |_| {}).unwrap();
    assert_eq!((again.new, again.written, again.removed), (0, 0, 0), "nothing is new");
    let (seen, checkpoint) =
        audit::audit_files(&FolderFiles::new(&out), &reading.keys, Vec::new(), &mut |_| {}).unwrap();
    assert_eq!((seen.records, checkpoint.size()), (300, 300));

    let target = Place::sqlite();
    assert_eq!(transfer::import(&out, &target.location, &Joining::First, &mut |_| {}).unwrap().records, 300);
    assert_eq!(
        transfer::import(&out, &target.location, &Joining::First, &mut |_| {}).unwrap_err().kind,
        JournalFaultKind::Unusable
    );
    assert_eq!(
        target.location.write().map(|_| ()).unwrap_err().kind,
        JournalFaultKind::WrongKey,
        "the key does not travel"
    );
    std::fs::copy(place.file("journal.key"), target.file("journal.key")).unwrap();
    let next = target.fill(1);
    assert_eq!(next[0].index.get(), 300);
    receipt::check(&next[0], &reading.keys).unwrap();
}

fn a_changed_file_of_an_exported_log_is_found(place: &Place) {
    place.fill(260);
    let out = place.folder.path().join("out");
    let reading = place.location.read().unwrap();
    export::export(&reading, &out, &mut |_| {}).unwrap();
    let audit = || -> Result<(), JournalFault> {
        audit::audit_files(&FolderFiles::new(&out), &reading.keys, Vec::new(), &mut |_| {}).map(|_| ())
    };
    for name in
        ["checkpoint", "tile/0/000", "tile/0/001.p/4", "tile/1/000.p/1", "tile/entries/000", "tile/entries/001.p/4"]
    {
        let file = out.join(name);
        let whole = std::fs::read(&file).unwrap();
        for at in (0..whole.len()).step_by(whole.len().div_ceil(6)) {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            std::fs::write(&file, &changed).unwrap();
            assert!(audit().is_err(), "{name}, byte {at}");
            std::fs::write(&file, &whole[..at]).unwrap();
            assert!(audit().is_err(), "{name}, cut at {at}");
        }
        std::fs::remove_file(&file).unwrap();
        assert_eq!(audit().unwrap_err().kind, JournalFaultKind::Missing, "{name}");
        std::fs::write(&file, &whole).unwrap();
        audit().unwrap();
    }
}

fn an_empty_log_holds(place: &Place) {
    drop(place.open());
    let reading = place.location.read().unwrap();
    let out = place.folder.path().join("out");
    assert_eq!(export::export(&reading, &out, &mut |_| {}).unwrap().records, 0);
    let (seen, _) = audit::audit_files(&FolderFiles::new(&out), &reading.keys, Vec::new(), &mut |_| {}).unwrap();
    assert_eq!(seen.records, 0);
    place.fill(1);
}

fn a_clock_that_is_set_back_is_told_and_breaks_nothing(place: &Place) {
    drop(place.fill(2));
    // In 1970, then at the end of time, then in 1970 again, and then what the machine's clock says.
    for millis in [1_000, u64::MAX, 1_500] {
        place.append_at(millis);
    }
    let receipts = place.fill(2);
    let reading = place.location.read().unwrap();
    for receipt in &receipts {
        receipt::check(receipt, &reading.keys).unwrap();
    }
    let mut source = StoreSource::new(reading.store.as_ref());
    let (seen, tree) = audit::audit(&mut source, Vec::new(), &mut |_| {}).unwrap();
    assert_eq!((seen.records, tree.size()), (7, 7));
    assert_eq!(seen.set_back, 2);
}
