//! Changed copies of the seven files. A forger may also make the document digest fit (`seal`).

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::bundle::{Bundle, files_in, python, svc, validate};
use crate::words::{Command, File, INDEX, SEVEN_FILES, THIRTEEN_COMMANDS};

/// One changed file in a folder of its own.
pub(crate) struct Forgery {
    what: String,
    file: &'static File,
    folder: TempDir,
}

impl Forgery {
    fn path(&self) -> PathBuf {
        self.folder.path().join(self.file.name)
    }

    /// The judge and every command that reads this kind exit with `code`, and nothing is written.
    #[track_caller]
    pub(crate) fn is_refused_with(&self, code: i32) {
        validate(self.file.validate, &self.path()).with(&self.what).exits(code);
        let reads_it = |row: &&Command| row.input == self.file.name && row.output.is_some();
        for row in THIRTEEN_COMMANDS.iter().filter(reads_it) {
            let elsewhere = tempfile::tempdir().unwrap();
            let run = svc(elsewhere.path(), row.subcommand, &self.path(), &[], &[]);
            run.with(&self.what).exits(code);
            let written = files_in(elsewhere.path());
            assert!(written.is_empty(), "{} wrote {:?}", row.subcommand, written.keys());
        }
    }
}

/// Applies one change to each of the seven files. `change` gets the document and the JSON pointer of the
/// member that holds the package: the root, or the submission inside the index.
pub(crate) fn in_each_file(bundle: &Bundle, what: &str, change: impl Fn(&mut Value, &str)) -> Vec<Forgery> {
    let forge = |file: &'static File| {
        let package = if file.name == INDEX { "/entries/0/submission" } else { "" };
        forge(bundle, file, what, |document| change(document, package))
    };
    SEVEN_FILES.iter().map(forge).collect()
}

pub(crate) fn in_the_index(bundle: &Bundle, what: &str, change: impl FnOnce(&mut Value)) -> Forgery {
    let index = SEVEN_FILES.iter().find(|file| file.name == INDEX).unwrap();
    forge(bundle, index, what, change)
}

fn forge(bundle: &Bundle, file: &'static File, what: &str, change: impl FnOnce(&mut Value)) -> Forgery {
    let mut document = bundle.json(file.name);
    let original = document.clone();
    change(&mut document);
    assert_ne!(document, original, "{what} changes nothing in {}", file.name);
    let forgery = Forgery { what: what.to_owned(), file, folder: tempfile::tempdir().unwrap() };
    let text = serde_json::to_string_pretty(&document).unwrap() + "\n";
    fs::write(forgery.path(), text).unwrap();
    forgery
}

/// Rewrites the document digests of all forgeries, so that only the change itself can give them away.
pub(crate) fn seal(forgeries: &[Forgery]) {
    let paths: Vec<PathBuf> = forgeries.iter().map(Forgery::path).collect();
    let mut arguments = vec![Path::new("seal")];
    arguments.extend(paths.iter().map(PathBuf::as_path));
    python(&arguments);
}

/// Another text of the same length: only the last character differs.
pub(crate) fn other_last_character(text: &mut Value) {
    let mut changed = text.as_str().unwrap().to_owned();
    let other = if changed.pop() == Some('0') { '1' } else { '0' };
    changed.push(other);
    *text = Value::String(changed);
}
