//! Journals of every form that there was, as they were written then: each is opened, checked and continued.
//!
//! `tests/stored/form-N` has the data folder and the export of a log whose tables were made by N steps. What is there is never
//! written again; a copy is worked on. After a new step, `SVC_STORE_FORM=1 cargo nextest run -p svc-journal --test suite stored`
//! adds the newest form.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use svc_archive::folder_files::FolderFiles;
use svc_journal::{
    attribution::Before,
    export,
    joining::Joining,
    log_key::LogKey,
    open::{Backend, Location},
    prune,
    store::Access,
    store_source::StoreSource,
    transfer,
};
use svc_proof::{audit, receipt};
use tempfile::TempDir;

use crate::{
    drafts,
    place::{Place, append, record},
};

const ORIGIN: &str = "registry.example/stored";
const SEED: [u8; 32] = [7; 32];
/// The records of each at least.
const RECORDS: u64 = 20;

/// How many steps make the tables of this version.
fn newest_form() -> u64 {
    let place = Place::sqlite();
    drop(place.open());
    let connection = rusqlite::Connection::open(place.database()).unwrap();
    connection.query_row("SELECT count(*) FROM migration", [], |row| row.get::<_, i64>(0)).unwrap().cast_unsigned()
}

fn stored() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stored")
}

/// A copy to work on: the key is for its owner alone, which a checkout does not keep.
fn copy(form: u64) -> (TempDir, Location) {
    let folder = tempfile::tempdir().unwrap();
    copy_below(&stored().join(format!("form-{form}")), folder.path());
    let data = folder.path().join("data");
    fs::set_permissions(data.join("journal.key"), fs::Permissions::from_mode(0o600)).unwrap();
    let location = Location { backend: Backend::Embedded, folder: data };
    (folder, location)
}

fn copy_below(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(|entry| entry.unwrap()) {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy_below(&from, &to);
        } else {
            fs::copy(&from, &to).unwrap();
        }
    }
}

/// Writes the newest form, unless it is there: a form is what that version wrote, and not what this one would.
fn store(form: u64) {
    let to = stored().join(format!("form-{form}"));
    assert!(!to.exists(), "{} is there", to.display());
    let place = Place::sqlite();
    let key = LogKey::from_seed(ORIGIN, &SEED).unwrap();
    fs::create_dir(&place.location.folder).unwrap();
    fs::write(place.file("journal.key"), key.to_file()).unwrap();
    fs::set_permissions(place.file("journal.key"), fs::Permissions::from_mode(0o600)).unwrap();
    drop(place.location.store(Access::Write).unwrap());
    drop(place.open());
    append(place.location.store(Access::Write).unwrap().as_ref(), 256 + RECORDS, 1_763_000_000_000);
    drop(place.open());
    prune::prune(&place.location, Before::Place(256), &mut |_| {}).unwrap();
    let next = LogKey::from_seed(ORIGIN, &[8; 32]).unwrap();
    let store = place.location.store(Access::Write).unwrap();
    let note = key.hand_over_to(next.public()).unwrap();
    store.add_key(2, next.public(), Some(note.text())).unwrap();
    drop(store);
    fs::write(place.file("journal.key"), next.to_file()).unwrap();
    drop(place.open());
    export::export(&place.location.read().unwrap(), &place.folder.path().join("export"), &mut |_| {}).unwrap();
    for name in ["journal.sqlite3-shm", "journal.sqlite3-wal", "journal.lock"] {
        let _ = fs::remove_file(place.file(name));
    }
    copy_below(place.folder.path(), &to);
}

#[test]
fn journals_of_every_form_are_opened_checked_and_continued() {
    let newest = newest_form();
    if std::env::var_os("SVC_STORE_FORM").is_some() {
        store(newest);
    }
    let stored = (1..=newest).filter(|form| stored().join(format!("form-{form}")).is_dir()).count() as u64;
    assert_eq!(stored, newest, "a form is missing among the stored journals");
    for form in 1..=newest {
        let (_folder, location) = copy(form);
        let journal = location.write().unwrap_or_else(|fault| panic!("form {form}: {fault}"));
        let (seen, _) = audit::audit(&mut StoreSource::new(journal.store().as_ref()), Vec::new(), &mut |_| {}).unwrap();
        assert!(seen.records >= RECORDS, "form {form}");
        let next = record(&journal, drafts::mixed(1));
        assert_eq!(next.index.get(), seen.records, "form {form}");
        receipt::check(&next, journal.keys()).unwrap();
    }
}

#[test]
fn exports_of_every_form_are_checked_taken_in_and_continued() {
    for form in 1..=newest_form() {
        let (folder, from) = copy(form);
        let export = folder.path().join("export");
        let keys = from.write().unwrap().keys().clone();
        let (seen, _) = audit::audit_files(&FolderFiles::new(&export), &keys, Vec::new(), &mut |_| {}).unwrap();
        let into = Location { backend: Backend::Embedded, folder: folder.path().join("into") };
        let imported = transfer::import(&export, &into, &Joining::First, &mut |_| {}).unwrap();
        assert_eq!(imported.records, seen.records, "form {form}");
        fs::copy(from.folder.join("journal.key"), into.folder.join("journal.key")).unwrap();
        let next = record(&into.write().unwrap(), drafts::mixed(1));
        assert_eq!(next.index.get(), seen.records, "form {form}");
    }
}
