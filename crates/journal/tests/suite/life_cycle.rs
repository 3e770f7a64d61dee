//! Pruning, exporting again and again, and what neither may hide.

use std::{collections::BTreeMap, fs, path::Path};

use svc_archive::folder_files::FolderFiles;
use svc_journal::{
    attribution::Before,
    export,
    joining::Joining,
    prune,
    store::{Access, log_start},
    store_source::StoreSource,
    transfer,
};
use svc_proof::{audit, fault::JournalFaultKind, receipt};

use crate::place::{Place, append};

in_both_stores! {
    a_record_that_is_gone_and_was_not_pruned_is_damage,
    pruned_records_are_gone_and_the_rest_proves_itself,
    pruning_goes_on_after_a_kill_and_never_back,
    a_log_may_be_pruned_while_nodes_read_it,
    a_pruned_log_leaves_and_comes_back,
    an_export_goes_on_in_the_same_folder,
    a_folder_of_another_log_is_refused_and_left_as_it_is,
}

/// A log of this many records; the times count from one second on.
fn long(place: &Place, records: u64) {
    drop(place.open());
    let store = place.location.store(Access::Write).unwrap();
    append(store.as_ref(), records, 1_000_000);
    drop(store);
    drop(place.open());
}

fn cut(place: &Place, before: u64) -> prune::Pruned {
    prune::prune(&place.location, Before::Place(before), &mut |_| {}).unwrap()
}

fn verify(place: &Place) -> Result<audit::AuditSummary, JournalFaultKind> {
    let reading = place.location.read().unwrap();
    let seen = audit::audit(&mut StoreSource::new(reading.store.as_ref()), Vec::new(), &mut |_| {});
    seen.map(|(seen, _)| seen).map_err(|fault| fault.kind)
}

fn files_below(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else {
                let name = entry.strip_prefix(folder).unwrap().display().to_string();
                files.insert(name, fs::read(&entry).unwrap());
            }
        }
    }
    files
}

fn a_record_that_is_gone_and_was_not_pruned_is_damage(place: &Place) {
    long(place, 700);
    for blank in [0, 255, 300, 699] {
        place.sql("DROP TABLE IF EXISTS public.e; CREATE TABLE public.e AS SELECT * FROM entry");
        place.sql(&format!("UPDATE entry SET record = NULL WHERE place = {blank}"));
        assert_eq!(verify(place).unwrap_err(), JournalFaultKind::Corrupt, "{blank}");
        assert_eq!(place.location.write().map(|_| ()).unwrap_err().kind, JournalFaultKind::Corrupt, "{blank}");
        let reading = place.location.read().unwrap();
        assert_eq!(transfer::prove(&reading, blank).unwrap_err().kind, JournalFaultKind::Corrupt, "{blank}");
        let out = place.folder.path().join("refused");
        assert_eq!(export::export(&reading, &out, &mut |_| {}).unwrap_err().kind, JournalFaultKind::Corrupt);
        assert!(!out.exists());
        let refused = prune::prune(&place.location, Before::Place(256), &mut |_| {}).unwrap_err();
        assert_eq!(refused.kind, JournalFaultKind::Corrupt, "it is not made right by pruning");
        drop(reading);
        place.sql("DELETE FROM entry; INSERT INTO entry SELECT * FROM public.e");
    }
    cut(place, 256);
    // Behind the signed beginning it is damage still, and so is a beginning that nobody signed.
    place.sql("UPDATE entry SET record = NULL WHERE place = 256");
    assert_eq!(verify(place).unwrap_err(), JournalFaultKind::Corrupt);
    let other = Place::sqlite();
    long(&other, 600);
    cut(&other, 512);
    let foreign = log_start(other.location.read().unwrap().store.as_ref()).unwrap();
    let note = foreign.note().unwrap().text();
    place.sql(&format!("UPDATE minimum_index SET note = '{note}'"));
    assert_eq!(verify(place).unwrap_err(), JournalFaultKind::Corrupt);
    place.sql("DELETE FROM minimum_index");
    assert_eq!(verify(place).unwrap_err(), JournalFaultKind::Corrupt);
}

fn pruned_records_are_gone_and_the_rest_proves_itself(place: &Place) {
    let receipts = place.fill(10);
    let store = place.location.store(Access::Write).unwrap();
    append(store.as_ref(), 590, 1_000_000);
    drop(store);
    drop(place.open());
    let words: Vec<Vec<u8>> =
        place.location.read().unwrap().store.rows(0, 512).unwrap().into_iter().map(|row| row.record.unwrap()).collect();
    let pruned = cut(place, 513);
    assert_eq!((pruned.begins, pruned.deleted, pruned.size), (512, 512, 600));
    assert_eq!(verify(place).map(|seen| (seen.records, seen.pruned)), Ok((600, 512)));
    let reading = place.location.read().unwrap();
    let refused = transfer::prove(&reading, 511).unwrap_err();
    assert_eq!(refused.to_string(), "journal-missing: record 511 was pruned; the log begins at 512");
    receipt::check(&transfer::prove(&reading, 512).unwrap(), &reading.keys).unwrap();
    receipt::check(&receipts[3], &reading.keys).unwrap();
    drop(reading);
    assert_eq!(place.fill(1)[0].index.get(), 600);
    if place.database().exists() {
        let file = fs::read(place.database()).unwrap();
        for (at, word) in words.iter().enumerate() {
            // A part from the middle, so that a piece of a record counts too.
            let part = &word[word.len() / 2..];
            assert!(!file.windows(part.len()).any(|window| window == part), "record {at} is still in the file");
        }
        assert_eq!(fs::metadata(place.file("journal.sqlite3-wal")).unwrap().len(), 0);
    }
}

fn pruning_goes_on_after_a_kill_and_never_back(place: &Place) {
    long(place, 1100);
    assert_eq!((cut(place, 255).begins, cut(place, 0).begins), (0, 0), "only whole tiles");
    cut(place, 512);
    // As after a kill between the note and the records: some bytes are still there.
    place.sql("UPDATE entry SET record = (SELECT record FROM entry WHERE place = 600) WHERE place = 100");
    assert_eq!(verify(place).unwrap_err(), JournalFaultKind::Corrupt, "what is there has to be what was hashed");
    place.sql("UPDATE entry SET record = NULL WHERE place = 100");
    assert_eq!(cut(place, 256), prune::Pruned { begins: 512, deleted: 0, size: 1100 });
    let moment = Before::Time(svc_core::journal::timestamp::Timestamp::from_millis(1_000_000));
    assert_eq!(prune::prune(&place.location, moment, &mut |_| {}).unwrap().begins, 512, "none is older");
    let moment = Before::Time(svc_core::journal::timestamp::Timestamp::from_millis(1_000_001));
    assert_eq!(prune::prune(&place.location, moment, &mut |_| {}).unwrap().begins, 1024);
    assert_eq!(cut(place, 1100).deleted, 0);
    let beyond = prune::prune(&place.location, Before::Place(u64::MAX), &mut |_| {}).unwrap_err();
    assert_eq!(beyond.kind, JournalFaultKind::Unusable);
    assert_eq!(verify(place).map(|seen| seen.pruned), Ok(1024));
    fs::remove_file(place.file("journal.key")).unwrap();
    let refused = prune::prune(&place.location, Before::Place(1024), &mut |_| {}).unwrap_err();
    assert_eq!(refused.kind, JournalFaultKind::WrongKey, "who has no key does not prune");
}

/// A check that is under way when the log is pruned sees records go, and finds the reason.
fn a_log_may_be_pruned_while_nodes_read_it(place: &Place) {
    long(place, 600);
    if place.database().exists() {
        let running = place.open();
        let refused = prune::prune(&place.location, Before::Place(512), &mut |_| {}).unwrap_err();
        assert_eq!(refused.kind, JournalFaultKind::Locked, "an embedded log is pruned by nobody but its process");
        drop(running);
        return;
    }
    let running = place.open();
    cut(place, 512);
    let mut source = StoreSource::new(running.store().as_ref());
    assert_eq!(audit::audit(&mut source, Vec::new(), &mut |_| {}).unwrap().0.pruned, 512);
    running.record_blocking(crate::drafts::mixed(1)).unwrap();
    assert_eq!(running.stopped(), None);
}

fn a_pruned_log_leaves_and_comes_back(place: &Place) {
    long(place, 600);
    let out = place.folder.path().join("out");
    export::export(&place.location.read().unwrap(), &out, &mut |_| {}).unwrap();
    cut(place, 512);
    let reading = place.location.read().unwrap();
    let exported = export::export(&reading, &out, &mut |_| {}).unwrap();
    assert_eq!((exported.begins, exported.kept_from, exported.removed), (512, 0, 0), "an archive only grows");
    let whole = audit::audit_files(&FolderFiles::new(&out), &reading.keys, Vec::new(), &mut |_| {});
    assert_eq!(whole.unwrap().0.pruned, 0);
    let out = place.folder.path().join("new");
    export::export(&reading, &out, &mut |_| {}).unwrap();
    let audit = || audit::audit_files(&FolderFiles::new(&out), &reading.keys, Vec::new(), &mut |_| {});
    assert_eq!(audit().unwrap().0.pruned, 512);
    let target = Place::sqlite();
    assert_eq!(transfer::import(&out, &target.location, &Joining::First, &mut |_| {}).unwrap().pruned, 512);
    fs::copy(place.file("journal.key"), target.file("journal.key")).unwrap();
    assert_eq!(target.fill(1)[0].index.get(), 600);
    assert_eq!(verify(&target).map(|seen| seen.pruned), Ok(512));
    for name in ["minimum-index", "tile/0/000", "tile/entries/002.p/88"] {
        let whole = fs::read(out.join(name)).unwrap();
        fs::remove_file(out.join(name)).unwrap();
        assert!(audit().is_err(), "{name} is gone");
        let mut changed = whole.clone();
        changed[whole.len() / 2] ^= 1;
        fs::write(out.join(name), &changed).unwrap();
        assert!(audit().is_err(), "{name} is changed");
        fs::write(out.join(name), whole).unwrap();
    }
    audit().unwrap();
}

fn an_export_goes_on_in_the_same_folder(place: &Place) {
    let out = place.folder.path().join("out");
    let mut size = 0;
    for more in [1, 200, 54, 1, 1, 300, 3] {
        long(place, more);
        size += more;
        let reading = place.location.read().unwrap();
        let exported = export::export(&reading, &out, &mut |_| {}).unwrap();
        assert_eq!((exported.records, exported.new), (size, more));
        let fresh = place.folder.path().join(format!("fresh-{size}"));
        export::export(&reading, &fresh, &mut |_| {}).unwrap();
        let (grown, fresh) = (files_below(&out), files_below(&fresh));
        assert_eq!(grown.keys().collect::<Vec<_>>(), fresh.keys().collect::<Vec<_>>(), "at {size}");
        // Each signs its own checkpoint, with the same state.
        assert!(grown.iter().all(|(name, bytes)| fresh.get(name) == Some(bytes)), "at {size}");
    }
    // A kill at any point: what the folder had is a log still, or is said not to be whole; the next run completes it.
    let before = files_below(&out);
    long(place, 400);
    let reading = place.location.read().unwrap();
    let whole = place.folder.path().join("whole");
    export::export(&reading, &whole, &mut |_| {}).unwrap();
    let after = files_below(&whole);
    let new: Vec<&String> = after.keys().filter(|name| before.get(*name) != after.get(*name)).collect();
    for written in 0..new.len() {
        let torn = place.folder.path().join(format!("torn-{written}"));
        let half = new.iter().filter(|name| **name != "checkpoint").take(written).map(|name| (*name, &after[*name]));
        for (name, bytes) in before.iter().chain(half) {
            fs::create_dir_all(torn.join(name).parent().unwrap()).unwrap();
            fs::write(torn.join(name), bytes).unwrap();
        }
        fs::write(torn.join("tile/0/.001.new"), "half").unwrap();
        let (seen, _) = audit::audit_files(&FolderFiles::new(&torn), &reading.keys, Vec::new(), &mut |_| {}).unwrap();
        assert_eq!(seen.records, size, "the older log");
        export::export(&reading, &torn, &mut |_| {}).unwrap();
        assert_eq!(files_below(&torn), after);
        // A first export that was cut short has no checkpoint, and is completed too.
        fs::remove_file(torn.join("checkpoint")).unwrap();
        fs::remove_file(torn.join("tile/0/000")).unwrap();
        assert!(audit::audit_files(&FolderFiles::new(&torn), &reading.keys, Vec::new(), &mut |_| {}).is_err());
        export::export(&reading, &torn, &mut |_| {}).unwrap();
        assert_eq!(files_below(&torn), after);
    }
}

fn a_folder_of_another_log_is_refused_and_left_as_it_is(place: &Place) {
    long(place, 300);
    let other = Place::sqlite();
    long(&other, 10);
    let folder = |name: &str| place.folder.path().join(name);
    export::export(&other.location.read().unwrap(), &folder("other"), &mut |_| {}).unwrap();
    fs::create_dir(folder("mine")).unwrap();
    fs::write(folder("mine").join("letter.txt"), "dear").unwrap();
    let reading = place.location.read().unwrap();
    // The same key signs another history, as on a copy that went its own way.
    let key = svc_journal::folder::DataFolder::at(&place.location.folder).key().unwrap().unwrap();
    for (name, size) in [("forked", 300), ("newer", 301)] {
        export::export(&reading, &folder(name), &mut |_| {}).unwrap();
        fs::write(folder(name).join("checkpoint"), crate::image::signed(&key, size)).unwrap();
    }
    export::export(&other.location.read().unwrap(), &folder("half"), &mut |_| {}).unwrap();
    fs::remove_file(folder("half").join("checkpoint")).unwrap();
    for name in ["other", "mine", "forked", "newer", "half"] {
        let before = files_below(&folder(name));
        let refused = export::export(&reading, &folder(name), &mut |_| {}).unwrap_err();
        let expected =
            if ["forked", "newer"].contains(&name) { JournalFaultKind::Rewound } else { JournalFaultKind::Unusable };
        assert_eq!(refused.kind, expected, "{name}: {refused}");
        assert_eq!(files_below(&folder(name)), before, "{name}");
    }
}
