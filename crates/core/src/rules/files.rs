//! F: the files of a package. What only the walk over the folder can see is found there, under these rules.

use std::{
    borrow::Cow,
    cmp::Ordering,
    collections::{BTreeMap, btree_map::Entry},
};

use super::{
    review::{Name, Package, Sink},
    rule::rules,
};
use crate::{artifact::table, limits, manifest, path};

rules! {
    F001 "SVC-F001", Error, FileTable, "a declared file is missing" {
        why: "The manifest promises a file that nobody would receive.",
        fix: "Add the file, or a pattern in `files` that matches it.",
        fires: Manifest(r#"{ "entry": { "renderer": "dist/index.html" } }"#),
        passes: Manifest(r#"{ "entry": { "renderer": "index.html" } }"#),
        check: declared_files,
    }
    F002 "SVC-F002", Error, FileTable, "a path that not every system can hold" {
        why: "Paths that leave the package, or mean something else on another system, are how archives attack.",
        fix: "Use relative paths with `/`, without `..`, backslashes, control characters or device names.",
        fires: Manifest(r#"{ "files": ["**", "../shared/**"] }"#),
        passes: Manifest(r#"{ "files": ["**", "assets/**"] }"#),
    }
    F003 "SVC-F003", Error, FileTable, "two paths that are one on some systems" {
        why: "On file systems that ignore case or composition one file would replace the other.",
        fix: "Rename one of the two.",
        fires: Files("assets/Icon.png"),
        passes: Files("assets/icon-2.png"),
        check: colliding_paths,
    }
    F004 "SVC-F004", Error, FileTable, "a file or the package is too large" {
        why: "Hosts load packages on the way to showing them.",
        fix: "Make it smaller, or leave it out with `.svcignore`.",
        fires: Case("a file of 26,214,401 bytes"),
        passes: Case("a file of 26,214,400 bytes"),
        parameters: { "file-bytes": Number(limits::FILE_BYTES), "package-bytes": Number(limits::PACKAGE_BYTES) },
        check: too_large,
    }
    F005 "SVC-F005", Error, FileTable, "too many files" {
        why: "Every file costs each reader of the package.",
        fix: "Bundle the sources, or leave files out with `.svcignore`.",
        fires: Case("a package of 10,001 files"),
        passes: Case("a package of 10,000 files"),
        parameters: { "files": Number(limits::PACKAGE_FILES as u64) },
        check: too_many,
    }
    F006 "SVC-F006", Error, FileBytes, "a native program" {
        why: "A renderer is pages, styles and scripts; a program that a system runs cannot be kept apart.",
        fix: "Leave it out; ship scripts that the renderer loads.",
        fires: Files("tools/convert: hex:7f454c4602010100"),
        passes: Files("tools/convert.js: export const convert = (text) => text;"),
        check: native_program,
    }
    F007 "SVC-F007", Warning, FileTable, "junk" {
        why: "Files that systems and editors leave behind say more about your machine than about the package.",
        fix: "Leave it out with `.svcignore`.",
        fires: Files("assets/.DS_Store"),
        passes: Files("assets/store.json: {}"),
        parameters: { "names": Words(JUNK_NAMES) },
        check: junk,
    }
    F008 "SVC-F008", Error, FileBytes, "a secret" {
        why: "Everyone who gets the package could use it.",
        fix: "Take it back where it was issued, then remove it from the package.",
        fires: Files(r#"config.js: const token = "svcr_0123456789abcdef0123456789abcdef";"#),
        passes: Files("config.js: const token = settings.token;"),
        parameters: { "names": Words(SECRET_NAMES), "scanned-bytes": Number(limits::SCANNED_BYTES as u64) },
        check: secrets,
    }
    F009 "SVC-F009", Warning, FileTable, "left over from development" {
        why: "It makes the package larger and shows more than it runs.",
        fix: "Leave it out with `.svcignore` or a narrower pattern.",
        fires: Files("app.js.map: {}"),
        passes: Files("app.js: start();"),
        parameters: { "folders": Words(DEV_FOLDERS), "names": Words(DEV_NAMES) },
        check: dev_leftovers,
    }
    F010 "SVC-F010", Error, FileTable, "the package holds the tool's own output" {
        why: "A bundle inside the package changes with every run, so no two runs agree.",
        fix: "Write the bundle elsewhere, or leave it out with `.svcignore`.",
        fires: Files("svc-registry-submission.json: {}"),
        passes: Files("submission.json: {}"),
        check: own_output,
    }
    F011 "SVC-F011", Warning, FileTable, "no README" {
        why: "Reviewers start there.",
        fix: "Add a README.md and a pattern in `files` that matches it.",
        fires: Files("- README.md"),
        passes: Files("README.md: # Weather Board"),
        check: no_readme,
    }
    F012 "SVC-F012", Warning, FileBytes, "a pattern matches nothing" {
        why: "It is a misspelt name, or a build that did not run.",
        fix: "Mend the pattern, or build first.",
        fires: Manifest(r#"{ "files": ["**", "asets/**"] }"#),
        passes: Manifest(r#"{ "files": ["**", "assets/**"] }"#),
        check: idle_pattern,
    }
    F013 "SVC-F013", Error, FileTable, "signature material" {
        why: "The package is not signed; a signature inside it could only mislead.",
        fix: "Leave it out.",
        fires: Files("index.html.sig"),
        passes: Files("signature.html"),
        check: signature_material,
    }
    F014 "SVC-F014", Error, FileBytes, "a link or special file" {
        why: "A link can lead out of the package, and a pipe or device has no content to hash.",
        fix: "Put the file itself there, or leave it out with `.svcignore`.",
        fires: Case("a symbolic link: assets/icon-2.png -> icon.png"),
        passes: Case("a copy: assets/icon-2.png with the bytes of assets/icon.png"),
    }
    F015 "SVC-F015", Error, FileBytes, "a file changed while it was read" {
        why: "The digest would be of bytes that never stood together.",
        fix: "Wait for the build to end, then run again.",
        fires: Case("a build that writes index.html while it is read"),
        passes: Case("the same index.html after the build has ended"),
    }
    F016 "SVC-F016", Error, FileTable, "an artifact would exceed the registry's limit" {
        why: "The registry would refuse the body before reading it.",
        fix: "Make the package smaller: fewer files or shorter paths.",
        fires: Case("10,000 files with paths of 400 bytes: svc-registry-submission.json would be larger than 4,194,304 bytes"),
        passes: Case("10,000 files with paths of 40 bytes"),
        parameters: {
            "artifact-bytes": Number(limits::ARTIFACT_BYTES as u64),
            "index-bytes": Number(limits::INDEX_BYTES as u64),
        },
    }
}

const JUNK_NAMES: &[&str] = &[".ds_store", "thumbs.db", "desktop.ini"];

const SECRET_NAMES: &[&str] =
    &[".env", ".netrc", ".npmrc", ".pypirc", "credentials", "id_dsa", "id_ecdsa", "id_ed25519", "id_rsa"];

const DEV_FOLDERS: &[&str] =
    &[".git", ".github", ".idea", ".svc", ".vscode", "__tests__", "coverage", "node_modules", "test", "tests"];

const DEV_NAMES: &[&str] = &[
    ".editorconfig",
    ".eslintrc.json",
    ".gitignore",
    ".prettierrc",
    "package-lock.json",
    "pnpm-lock.yaml",
    "tsconfig.json",
    "yarn.lock",
];

fn declared_files(package: &Package<'_>, sink: &mut Sink<'_>) {
    let mut declared = vec!["/entry/renderer".to_owned()];
    for list in ["/icons", "/screenshots"] {
        declared.extend(package.list(list).map(|(pointer, _)| pointer.join("src").to_string()));
    }
    for pointer in declared {
        let Some(path) = package.text(&pointer) else { continue };
        // A path that no system can hold has a finding of its own.
        if path::fault(path).is_none() && !package.has_file(path) {
            sink.report(pointer, "no such file in the package");
        }
    }
}

fn colliding_paths(package: &Package<'_>, sink: &mut Sink<'_>) {
    let paths: Vec<(&str, Cow<'_, str>)> = package
        .rows()
        .map(|(_, file)| (file.path.as_str(), file.path.collision_key()))
        .chain([(manifest::FILE_NAME, path::collision_key(manifest::FILE_NAME))])
        .collect();
    if all_apart(&paths) {
        return;
    }
    let mut seen: BTreeMap<&str, (&str, NameOf)> = BTreeMap::new();
    let mut collisions = BTreeMap::new();
    let mut previous = "";
    for (row, (path, key)) in paths.iter().enumerate() {
        if let Some(names) = collision(path, key, shared_folder(previous, path), &mut seen) {
            collisions.insert(row, names);
        }
        previous = path;
    }
    for (row, file) in package.rows() {
        if let Some((name, first)) = collisions.get(&row) {
            sink.report_file(row, file, format!("`{name}` and `{first}` are one name on some systems"));
        }
    }
    if let Some((_, first)) = collisions.get(&package.rows().count()) {
        sink.report("/files", format!("`{first}` and the manifest are one name on some systems"));
    }
}

/// Whether no two names meet, told without a map. Sorted by key with `/` before every other character, the paths of one
/// folder stand together, and a file stands right before what would be in a folder of its name; so neighbours tell all.
fn all_apart(paths: &[(&str, Cow<'_, str>)]) -> bool {
    let mut sorted: Vec<(&str, &str)> = paths.iter().map(|(path, key)| (key.as_ref(), *path)).collect();
    sorted.sort_by(|(left, _), (right, _)| by_folder(left.as_bytes(), right.as_bytes()));
    sorted.windows(2).all(|pair| match pair {
        [left, right] => are_apart(*left, *right),
        _ => true,
    })
}

/// The order of keys with the separator below all other bytes.
fn by_folder(left: &[u8], right: &[u8]) -> Ordering {
    let same = common_bytes(left, right);
    let next = |key: &[u8]| key.get(same).map(|byte| if *byte == b'/' { 0 } else { *byte });
    next(left).cmp(&next(right))
}

/// How many bytes two texts have in common at their start, eight at a time.
fn common_bytes(left: &[u8], right: &[u8]) -> usize {
    let words = left.as_chunks::<8>().0.iter().zip(right.as_chunks::<8>().0);
    let whole = 8 * words.take_while(|(left, right)| left == right).count();
    let (left, right) = (left.get(whole..).unwrap_or_default(), right.get(whole..).unwrap_or_default());
    whole + left.iter().zip(right).take_while(|(left, right)| left == right).count()
}

/// Whether two neighbours, each a key and its path, are different names in folders that are spelled the same.
fn are_apart((left_key, left): (&str, &str), (right_key, right): (&str, &str)) -> bool {
    let same = common_bytes(left_key.as_bytes(), right_key.as_bytes());
    let is_whole = same == left_key.len();
    let is_same_or_folder = is_whole && matches!(right_key.as_bytes().get(same), None | Some(b'/'));
    let folders = left_key.as_bytes().get(..same).into_iter().flatten().filter(|byte| **byte == b'/').count();
    let spelled_alike =
        || (left_key == left && right_key == right) || left.split('/').take(folders).eq(right.split('/').take(folders));
    !is_same_or_folder && (folders == 0 || spelled_alike())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NameOf {
    File,
    Folder,
}

/// How many bytes of the path are folders that the path before it, in sorted order, has already brought.
fn shared_folder(previous: &str, path: &str) -> usize {
    let same = common_bytes(previous.as_bytes(), path.as_bytes());
    path.as_bytes().get(..same).and_then(|shared| shared.iter().rposition(|byte| *byte == b'/')).map_or(0, |at| at + 1)
}

/// The part of a path that meets another name, and that name. Folders meet too: `Assets/a` and `assets/b` become one
/// folder, and `a` cannot be a file beside `a/b`. Folding keeps slashes, so both spellings have the same parts.
fn collision<'p>(
    path: &'p str,
    key: &'p str,
    shared: usize,
    seen: &mut BTreeMap<&'p str, (&'p str, NameOf)>,
) -> Option<(&'p str, &'p str)> {
    let ends = |text: &'p str| text.match_indices('/').map(|(at, _)| at).chain([text.len()]);
    for (end, key_end) in ends(path).zip(ends(key)).filter(|(end, _)| *end >= shared) {
        let role = if end == path.len() { NameOf::File } else { NameOf::Folder };
        let (part, part_key) = (path.get(..end)?, key.get(..key_end)?);
        match seen.entry(part_key) {
            Entry::Vacant(free) => {
                free.insert((part, role));
            }
            Entry::Occupied(taken) if *taken.get() == (part, NameOf::Folder) && role == NameOf::Folder => {}
            Entry::Occupied(taken) => return Some((part, taken.get().0)),
        }
    }
    None
}

fn too_large(package: &Package<'_>, sink: &mut Sink<'_>) {
    let mut total: u64 = 0;
    for (row, file) in package.rows() {
        total = total.saturating_add(file.size.get());
        if file.size.get() > limits::FILE_BYTES {
            sink.report_file(row, file, format!("a file of more than {} bytes", limits::FILE_BYTES));
        }
    }
    if total > limits::PACKAGE_BYTES {
        sink.report("/files", format!("files of more than {} bytes together", limits::PACKAGE_BYTES));
    }
}

fn too_many(package: &Package<'_>, sink: &mut Sink<'_>) {
    if package.files.unwrap_or_default().len() > limits::PACKAGE_FILES {
        sink.report("/files", format!("more than {} files", limits::PACKAGE_FILES));
    }
}

fn native_program(package: &Package<'_>, sink: &mut Sink<'_>) {
    for (row, file, facts) in package.scanned() {
        if let Some(what) = facts.native {
            sink.report_file(row, file, format!("the file is {what}"));
        }
    }
}

fn junk(package: &Package<'_>, sink: &mut Sink<'_>) {
    report_named(package, sink, "left over by a system or an editor", |name| {
        JUNK_NAMES.contains(&name.file())
            || name.file().starts_with("._")
            || ends_in(name.file(), &[".orig", ".rej", ".swp", ".bak", ".tmp", "~"])
            || name.is_in(&["__macosx"])
    });
}

fn secrets(package: &Package<'_>, sink: &mut Sink<'_>) {
    for (row, file, name) in package.named() {
        let Some(facts) = package.facts(file) else { continue };
        let keeps_secrets = SECRET_NAMES.contains(&name.file())
            || name.file().starts_with(".env.")
            || ends_in(name.file(), &[".pem", ".key", ".p12", ".pfx", ".jks"]);
        if keeps_secrets {
            sink.report_file(row, file, "a file of a kind that keeps secrets");
        }
        facts.secrets.iter().for_each(|sighting| sink.report_sighting(row, file, sighting));
    }
}

fn dev_leftovers(package: &Package<'_>, sink: &mut Sink<'_>) {
    report_named(package, sink, "needed to build the package, not to run it", |name| {
        name.is_in(DEV_FOLDERS) || DEV_NAMES.contains(&name.file()) || name.file().ends_with(".map")
    });
}

fn signature_material(package: &Package<'_>, sink: &mut Sink<'_>) {
    report_named(package, sink, "signature material in a package that is not signed", |name| {
        name.is_in(&["meta-inf"])
            || ends_in(name.file(), &[".sig", ".asc", ".p7s", ".minisig", ".sigstore", ".intoto.jsonl"])
    });
}

/// Reports the files whose name is of a kind.
fn report_named(package: &Package<'_>, sink: &mut Sink<'_>, message: &str, is_of_kind: impl Fn(&Name<'_>) -> bool) {
    for (row, file, _) in package.named().filter(|(_, _, name)| is_of_kind(name)) {
        sink.report_file(row, file, message);
    }
}

fn ends_in(name: &str, ends: &[&str]) -> bool {
    ends.iter().any(|end| name.ends_with(end))
}

fn own_output(package: &Package<'_>, sink: &mut Sink<'_>) {
    let is_ours = |name: &Name<'_>| table::ALL.iter().any(|spec| spec.file == name.file());
    for (row, file, _) in package.named().filter(|(_, _, name)| is_ours(name)) {
        sink.report_file(row, file, format!("`{}` is written by svc", file.path));
    }
}

fn no_readme(package: &Package<'_>, sink: &mut Sink<'_>) {
    let is_readme = |path: &str| path.split('.').next().is_some_and(|stem| stem.eq_ignore_ascii_case("readme"));
    if !package.files.unwrap_or_default().iter().any(|file| is_readme(file.path.as_str())) {
        sink.report("/files", "the package has no README");
    }
}

fn idle_pattern(package: &Package<'_>, sink: &mut Sink<'_>) {
    let Some(folder) = package.folder else { return };
    for (index, _) in folder.matched.iter().enumerate().filter(|(_, matched)| !**matched) {
        sink.report(format!("/files/{index}"), "the pattern matches no file");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The careful way, for comparison.
    fn meets(paths: &[(&str, Cow<'_, str>)]) -> bool {
        let mut seen = BTreeMap::new();
        let mut previous = "";
        paths.iter().any(|(path, key)| {
            let shared = shared_folder(previous, path);
            previous = path;
            collision(path, key, shared, &mut seen).is_some()
        })
    }

    #[test]
    fn neighbours_tell_whether_any_two_names_meet() {
        let names =
            ["a", "A", "b", "a.b", "a-", "a/b", "A/b", "a/B", "a/b/c", "a/b/C", "b/a", "B/c", "ß", "ss", "a/ß/x"];
        let count = names.len();
        for chosen in 0..(1_usize << count) {
            if chosen.count_ones() > 4 {
                continue;
            }
            let mut paths: Vec<&str> = (0..count).filter(|at| chosen & (1 << at) != 0).map(|at| names[at]).collect();
            paths.sort_unstable();
            let keyed: Vec<(&str, Cow<'_, str>)> =
                paths.iter().map(|path| (*path, path::collision_key(path))).collect();
            assert_eq!(all_apart(&keyed), !meets(&keyed), "{paths:?}");
        }
    }
}
