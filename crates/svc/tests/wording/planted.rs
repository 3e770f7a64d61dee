//! The walk itself, on copies in which a word was planted.

use std::{fs, path::Path};

use crate::{
    allowed::Allowed,
    run::repository,
    texts::{self, Text},
    words::WORDS,
};

#[test]
fn each_word_is_seen_in_each_file() {
    let root = repository("");
    let copy = tempfile::tempdir().unwrap();
    let files = texts::files(&root);
    let kinds = [
        "contracts/",
        "docs/",
        "examples/",
        "crates/svc/src/",
        "crates/core/src/",
        "crates/svc/templates/",
        "sdk/typescript/src/",
        "README.md",
    ];
    for kind in kinds {
        assert!(files.iter().any(|file| file.to_str().unwrap().starts_with(kind)), "no file in {kind}");
    }
    for word in WORDS {
        for file in &files {
            let planted = planted(file, &fs::read_to_string(root.join(file)).unwrap(), word);
            fs::create_dir_all(copy.path().join(file).parent().unwrap()).unwrap();
            fs::write(copy.path().join(file), planted).unwrap();
        }
        let faults = Allowed::read().faults(&texts::committed(copy.path()));
        for file in &files {
            let start = format!("{}: `{word}` in “", file.display());
            assert!(
                faults.iter().any(|fault| fault.starts_with(&start)),
                "`{word}` in {} was not seen",
                file.display()
            );
        }
    }
}

#[test]
fn each_word_is_seen_in_what_is_printed() {
    for word in WORDS {
        for text in [
            format!("  approve  Make the package {word}\n"),
            format!("error: the package is not\n  {}", word.to_uppercase()),
            word.to_owned(),
            format!("\\fBsvc\\-app\\fR \\- a {word}\\-package"),
        ] {
            let faults = Allowed::read().faults(&[Text::new("svc app --help", &text)]);
            let expected = if text == "installable" { 0 } else { 1 };
            assert_eq!(faults.len(), expected, "{text}: {faults:?}");
        }
    }
}

/// The file with a sentence more, where a reader of the file would see it.
fn planted(file: &Path, content: &str, word: &str) -> String {
    let sentence = format!("This package is {word} now.");
    match file.extension().and_then(|end| end.to_str()).unwrap_or_default() {
        "json" => content.replacen('{', &format!("{{\"planted\": {{\"text\": \"{sentence}\"}},"), 1),
        "rs" => format!("const PLANTED: &str = \"{sentence}\";\n{content}"),
        _ => format!("{content}\n{sentence}\n"),
    }
}
