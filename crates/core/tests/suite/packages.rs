//! Packages that the tests make themselves, through the same door as the command line.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use svc_core::samples::rules;
use svc_core::{
    artifact::{
        checked::Checked,
        head::{Owner, Visibility},
        submission::Submission,
    },
    bundle::{Bundle, Files},
    findings::Findings,
    pack::{self, Walked},
    package::{artifact::FileEntry, folder::Folder},
    scalar::{
        ident::{OwnerId, OwnerName},
        path::PackagePath,
        size::Size,
    },
};
use svc_json::digest::Digest;

use crate::documents::{kind_of, parsed, read, remove, set};

/// What a package is made from.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) manifest: Value,
    pub(crate) files: Vec<FileEntry>,
    /// The bytes of files, where a rule asks for what they tell.
    pub(crate) bytes: BTreeMap<String, Vec<u8>>,
    pub(crate) owner: Owner,
    pub(crate) visibility: Visibility,
}

impl Source {
    /// The example of the conformance kit, with the file table that its submission carries.
    pub(crate) fn weather_board() -> Self {
        let submission = kind_of("submission").base_json();
        let files: Vec<FileEntry> = serde_json::from_value(submission["packageArtifact"]["files"].clone()).unwrap();
        let bytes = files
            .iter()
            .map(|file| (file.path.as_str().to_owned(), read(&format!("examples/weather-board/{}", file.path))));
        Self {
            manifest: parsed(&read("examples/weather-board/svc-app.json")),
            bytes: bytes.collect(),
            files,
            owner: owner("acme", "Acme Ltd"),
            visibility: Visibility::Private,
        }
    }

    /// The source with a member of the manifest set.
    pub(crate) fn with(mut self, pointer: &str, value: Value) -> Self {
        set(&mut self.manifest, pointer, value);
        self
    }

    /// The source with a member of the manifest taken out.
    pub(crate) fn without(mut self, pointer: &str) -> Self {
        remove(&mut self.manifest, pointer);
        self
    }

    /// The source with one more file.
    pub(crate) fn with_file(mut self, path: &str) -> Self {
        self.files.push(file(path, 3));
        self.files.sort_by(|left, right| left.path.as_str().cmp(right.path.as_str()));
        self
    }

    /// The source with other bytes in a file that it has.
    pub(crate) fn with_bytes(mut self, path: &str, bytes: &[u8]) -> Self {
        self.bytes.insert(path.to_owned(), bytes.to_vec());
        self
    }

    /// Packs it as `svc app pack` does.
    pub(crate) fn pack(&self) -> Result<Checked<Submission>, Findings> {
        let manifest = serde_json::to_vec_pretty(&self.manifest).unwrap();
        let draft = pack::read_manifest(rules(), &manifest)?;
        let matched = vec![true; draft.patterns().len()];
        let seen = self.bytes.iter().map(|(path, bytes)| (path.clone(), svc_facts::of_file(path, bytes)));
        let folder = Folder { matched, seen: seen.collect(), ..Folder::default() };
        let walked = Walked { files: Some(self.files.clone()), folder, ..Walked::default() };
        let reviewed = draft.review(walked);
        Ok(reviewed.pack(self.owner.clone(), self.visibility)?.submission)
    }

    /// The whole bundle, by file name.
    pub(crate) fn bundle(&self) -> Files {
        Bundle::from_submission(self.pack().unwrap()).unwrap().to_files()
    }
}

pub(crate) fn owner(id: &str, name: &str) -> Owner {
    Owner { id: OwnerId::parse(id).unwrap(), name: OwnerName::parse(name).unwrap() }
}

pub(crate) fn file(path: &str, size: u64) -> FileEntry {
    FileEntry::new(PackagePath::parse(path).unwrap(), Size::new(size).unwrap(), Digest::of(path.as_bytes()))
}

/// Packages that differ from the example in one thing each, by what that is.
pub(crate) fn variants() -> Vec<(&'static str, Source)> {
    let base = Source::weather_board;
    let changed_file = || {
        let mut source = base();
        source.files[0] = FileEntry::new(source.files[0].path.clone(), source.files[0].size, Digest::of(b"changed"));
        source
    };
    vec![
        ("the example", base()),
        ("another version", base().with("/version", json!("1.2.1"))),
        ("another owner", Source { owner: owner("mallory", "Mallory"), ..base() }),
        ("another owner's name", Source { owner: owner("acme", "Acme GmbH"), ..base() }),
        ("another visibility", Source { visibility: Visibility::Public, ..base() }),
        ("another id", base().with("/id", json!("dev.acme.weather-bored"))),
        ("a changed file", changed_file()),
        ("one file more", base().with_file("dist/extra.js")),
        ("another meta string", base().with("/_meta", json!({ "dev.acme.channel": "beta" }))),
        ("an author blocker", base().with("/categories", json!(["nonsense", "productivity"]))),
        ("facts", base().with_bytes("dist/app.js", b"x;\neval(a); eval(b)")),
        ("an exception", excepted()),
        ("warnings", base().without("/support").without("/repository").without("/screenshots")),
    ]
}

/// Code in many files, and an exception for one of them.
fn excepted() -> Source {
    let exception = json!({ "path": "dist/part-0.js", "reason": "It is measured there.", "rule": "SVC-P012" });
    let source = Source::weather_board().with("/exceptions", json!([exception]));
    (0..6)
        .map(|part| format!("dist/part-{part}.js"))
        .fold(source, |source, path| source.with_file(&path).with_bytes(&path, b"eval(a)"))
}

/// The submission of the conformance kit.
pub(crate) fn base_submission() -> Checked<Submission> {
    svc_core::read::artifact(rules(), &kind_of("submission").base()).unwrap()
}
