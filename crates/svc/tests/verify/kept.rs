//! Answers that are kept next to a bundle: what `verify` says of them, and what no error hides.

use std::fs;

use super::submit::{Author, service};

/// A bundle with its answers, whose index answer claims to be open.
fn open_author() -> Author {
    let author = Author::new();
    let running = service(author.folder.path());
    author.submit(&running.address, &[]).exits(0);
    let path = author.kept().unwrap().join("index.json");
    let good = fs::read_to_string(&path).unwrap();
    fs::write(&path, good.replacen("\"accepted\":false", "\"accepted\":true", 1)).unwrap();
    author
}

#[test]
fn no_other_error_hides_an_open_claim() {
    let author = open_author();
    let submission = author.folder.path().join("bundle/svc-registry-submission.json");
    let wrong = format!("sha256:{}", "0".repeat(64));
    let cases: [&[&str]; 5] =
        [&[], &["--package", "."], &["--package", "nowhere"], &["--expect", &wrong], &["--public-key", "nowhere.pub"]];
    let verify = |more: &[&str]| {
        let run = author.svc(&[&["app", "verify", "bundle"], more].concat()).exits(7);
        assert!(run.stderr.contains("index.json"), "{more:?}: {}", run.stderr);
        assert!(!run.stdout.contains("Checked   kept"), "{more:?}: {}", run.stdout);
    };
    cases.iter().for_each(|more| verify(more));
    let good = fs::read_to_string(&submission).unwrap();
    for text in [good.replacen("private", "public", 1), "no JSON".to_owned()] {
        fs::write(&submission, text).unwrap();
        cases.iter().for_each(|more| verify(more));
    }
    fs::remove_file(&submission).unwrap();
    cases.iter().for_each(|more| verify(more));
}

#[test]
fn an_open_claim_is_found_however_deep_it_lies() {
    let author = Author::new();
    let running = service(author.folder.path());
    author.submit(&running.address, &[]).exits(0);
    let kept = author.kept().unwrap();
    fs::create_dir_all(kept.join("old/older")).unwrap();
    for text in ["{\"accepted\": true}", "{\"data\": [{\"installable\": true}]}", "accepted: yes"] {
        fs::write(kept.join("old/older/answer.txt"), text).unwrap();
        author.svc(&["app", "verify", "bundle"]).exits(7);
    }
    fs::write(kept.join("old/older/answer.txt"), "notes").unwrap();
    author.svc(&["app", "verify", "bundle"]).exits(1);
}

#[test]
fn answers_that_are_not_there_are_not_called_checked() {
    let author = Author::new();
    let running = service(author.folder.path());
    author.submit(&running.address, &[]).exits(0);
    let whole = author.svc(&["app", "verify", "bundle"]).exits(0).stdout;
    assert!(whole.contains("kept registry answers, receipt\n"), "{whole}");
    assert!(whole.contains("Not       public key of the log: this run was given no key: the receipts"));
    let key = author.kept().unwrap().join("journal.pub");
    let pinned = author.svc(&["app", "verify", "bundle", "--public-key", key.to_str().unwrap()]).exits(0).stdout;
    assert!(
        pinned.contains("public key of the log, receipt\n") && !pinned.contains("Not       public key"),
        "{pinned}"
    );
    fs::remove_file(author.kept().unwrap().join("index.json")).unwrap();
    let some = author.svc(&["app", "verify", "bundle"]).exits(0).stdout;
    assert!(some.contains("Not       kept registry answers: not every artifact has one"), "{some}");
    for entry in fs::read_dir(author.kept().unwrap()).unwrap().flatten() {
        if entry.path() != key {
            fs::remove_file(entry.path()).unwrap();
        }
    }
    let none = author.svc(&["app", "verify", "bundle"]).exits(0).stdout;
    assert!(none.contains("Not       kept registry answers: none are kept next to the bundle"), "{none}");
}

/// The notes that led from a known key to the new one are kept with the answers.
#[test]
fn answers_of_a_log_that_changed_its_key_are_checked_with_the_key_that_is_known() {
    let author = Author::new();
    let folder = author.folder.path();
    drop(service(folder));
    fs::copy(folder.join("data/journal.pub"), folder.join("known.pub")).unwrap();
    for step in ["announce-key", "rotate-key"] {
        author.svc(&["journal", step, "--journal", "sqlite", "--data-dir", "data"]).exits(0);
    }
    let running = service(folder);
    author.submit(&running.address, &["--public-key", "known.pub"]).exits(0);
    author.svc(&["app", "verify", "bundle", "--public-key", "known.pub"]).exits(0);
    let notes = author.kept().unwrap().join("journal.hand-overs");
    fs::write(&notes, "no notes\n").unwrap();
    let damaged = author.svc(&["app", "verify", "bundle", "--public-key", "known.pub"]).exits(4);
    assert!(damaged.stderr.contains("journal.hand-overs"), "{}", damaged.stderr);
    fs::remove_file(notes).unwrap();
    author.svc(&["app", "verify", "bundle", "--public-key", "known.pub"]).exits(4);
}
