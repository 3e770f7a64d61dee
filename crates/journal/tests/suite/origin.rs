//! The name of a log: given when it begins, and the same ever after.

use std::fs;

use svc_journal::{joining::Joining, log_key::LogKey, origin::LogOrigin};
use svc_proof::fault::JournalFaultKind;

use crate::{drafts, place::Place};

fn named(text: &str) -> LogOrigin {
    LogOrigin::parse(text).unwrap()
}

fn another_name_is_refused_and_changes_nothing(place: &Place) {
    let (own, other) = (named("registry.example/journal"), named("registry.example/other"));
    let journal = place.location.write_named(&Joining::First, Some(&own)).unwrap();
    let receipt = journal.record_blocking(drafts::mixed(0)).unwrap();
    assert!(receipt.checkpoint.as_str().starts_with("registry.example/journal\n1\n"));
    drop(journal);
    let files = || ["journal.key", "journal.pub", "journal.checkpoint"].map(|name| fs::read(place.file(name)).unwrap());
    let before = files();
    let refused = place.location.write_named(&Joining::First, Some(&other)).unwrap_err();
    assert_eq!(refused.kind, JournalFaultKind::Unusable);
    assert!(refused.detail.contains("registry.example/other") && refused.detail.contains("never changes"), "{refused}");
    assert_eq!(files(), before);
    for same in [Some(&own), None] {
        let journal = place.location.write_named(&Joining::First, same).unwrap();
        assert_eq!((journal.keys().origin(), journal.checkpoint().size()), ("registry.example/journal", 1));
    }
}

fn a_key_that_was_made_for_another_log_begins_none(place: &Place) {
    let key = LogKey::generate_for("registry.example/earlier").unwrap();
    fs::create_dir(&place.location.folder).unwrap();
    fs::write(place.file("journal.key"), key.to_file()).unwrap();
    fs::set_permissions(place.file("journal.key"), std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    assert!(place.location.write_named(&Joining::First, Some(&named("registry.example/journal"))).is_err());
    let left: Vec<_> = fs::read_dir(&place.location.folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["journal.key"]);
}

in_both_stores! {
    another_name_is_refused_and_changes_nothing,
    a_key_that_was_made_for_another_log_begins_none,
}

#[test]
fn without_a_name_a_log_gets_one_that_no_other_has() {
    let (one, two) = (Place::sqlite(), Place::sqlite());
    let names = [&one, &two].map(|place| place.open().keys().origin().to_owned());
    assert!(names.iter().all(|name| name.starts_with("svc-journal-")) && names[0] != names[1], "{names:?}");
}
