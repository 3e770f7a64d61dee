//! F: the files of a package. What only the walk over the folder can see is found there, under these rules.

use std::{
    borrow::Cow,
    collections::{BTreeMap, btree_map::Entry},
};

use super::{
    review::{Name, Package, Sink},
    rule::rules,
};
use crate::{artifact::table, limits, manifest, package::FileEntry, path};

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

/// The folder in which one system keeps what its archives need.
const ARCHIVE_FOLDERS: &[&str] = &["__macosx"];

/// The folder in which signatures of archives are.
const SIGNATURE_FOLDERS: &[&str] = &["meta-inf"];

/// Whether a folder of this name tells something to a rule.
pub(super) fn is_telling_folder(name: &[u8]) -> bool {
    [DEV_FOLDERS, ARCHIVE_FOLDERS, SIGNATURE_FOLDERS].into_iter().flatten().any(|folder| folder.as_bytes() == name)
}

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
    let plain: Vec<Plain<'_>> = package.named().map(|(_, file, name)| Plain::of(file, name)).collect();
    if are_apart(&plain) {
        return;
    }
    let paths: Vec<(&str, Cow<'_, str>)> = package
        .rows()
        .map(|(_, file)| (file.path.as_str(), file.path.collision_key()))
        .chain([(manifest::FILE_NAME, path::collision_key(manifest::FILE_NAME))])
        .collect();
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

/// A path with what is known of it.
struct Plain<'p> {
    path: &'p str,
    folder_bytes: usize,
    /// Whether it is the key under which it would meet another.
    is_own_key: bool,
}

impl<'p> Plain<'p> {
    fn of(file: &'p FileEntry, name: &Name<'_>) -> Self {
        Self { path: file.path.as_str(), folder_bytes: name.folder_bytes(), is_own_key: name.is_as_written() }
    }
}

/// Whether a table is sorted and no two of its names meet, told without a map of them all.
///
/// A name that is its own key meets another that is its own key only where both are spelled alike: one is a file and the
/// other a folder. So the few names that are not their own keys are held against the table, and against each other.
fn are_apart(table: &[Plain<'_>]) -> bool {
    let (mut previous, mut unusual) = ("", Vec::new());
    let plainly_apart = table.iter().all(|Plain { path, folder_bytes, is_own_key }| {
        let same = common_bytes(previous.as_bytes(), path.as_bytes());
        let is_next = previous.as_bytes().get(same) < path.as_bytes().get(same);
        previous = path;
        if !is_own_key {
            unusual.push((*path, path::collision_key(path)));
        }
        let no_new_folder = *is_own_key && same >= *folder_bytes;
        is_next && *path != manifest::FILE_NAME && (no_new_folder || are_folders(table, path, same))
    });
    let mut seen = BTreeMap::new();
    plainly_apart
        && unusual.iter().all(|(path, key)| {
            let meets_usual = parts(path).zip(parts(key)).any(|(part, key)| part != key && has_name(table, key));
            !meets_usual && collision(path, key, 0, &mut seen).is_none()
        })
}

/// Whether no folder of a path is also a file. Those within the first bytes were looked at before.
fn are_folders(table: &[Plain<'_>], path: &str, looked_at: usize) -> bool {
    let known = folders_within(path, looked_at);
    let mut folders = parts(path).filter(|part| (known..path.len()).contains(&part.len()));
    folders.all(|folder| !has_file(table, folder))
}

fn has_file(table: &[Plain<'_>], name: &str) -> bool {
    name == manifest::FILE_NAME || table.binary_search_by(|plain| plain.path.cmp(name)).is_ok()
}

fn has_name(table: &[Plain<'_>], name: &str) -> bool {
    let folder = format!("{name}/");
    let first = table.partition_point(|plain| plain.path < folder.as_str());
    table.get(first).is_some_and(|plain| plain.path.starts_with(&folder)) || has_file(table, name)
}

/// How many bytes two texts have in common at their start, eight at a time.
fn common_bytes(left: &[u8], right: &[u8]) -> usize {
    let words = left.as_chunks::<8>().0.iter().zip(right.as_chunks::<8>().0);
    let whole = 8 * words.take_while(|(left, right)| left == right).count();
    let (left, right) = (left.get(whole..).unwrap_or_default(), right.get(whole..).unwrap_or_default());
    whole + left.iter().zip(right).take_while(|(left, right)| left == right).count()
}

/// Every folder above a path, and the path itself.
fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| at).chain([path.len()]).filter_map(|end| path.get(..end))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NameOf {
    File,
    Folder,
}

/// How many bytes of the path are folders that the path before it, in sorted order, has already brought.
fn shared_folder(previous: &str, path: &str) -> usize {
    folders_within(path, common_bytes(previous.as_bytes(), path.as_bytes()))
}

/// How many of the first bytes of a path are whole folders.
fn folders_within(path: &str, same: usize) -> usize {
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
    for (part, part_key) in parts(path).zip(parts(key)).filter(|(part, _)| part.len() >= shared) {
        let role = if part.len() == path.len() { NameOf::File } else { NameOf::Folder };
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
            || name.file().ends_with('~')
            || name.has_extension(&["orig", "rej", "swp", "bak", "tmp"])
            || name.is_in(ARCHIVE_FOLDERS)
    });
}

fn secrets(package: &Package<'_>, sink: &mut Sink<'_>) {
    for (row, file, name) in package.named() {
        let Some(facts) = package.facts(file) else { continue };
        let keeps_secrets = SECRET_NAMES.contains(&name.file())
            || name.file().starts_with(".env.")
            || name.has_extension(&["pem", "key", "p12", "pfx", "jks"]);
        if keeps_secrets {
            sink.report_file(row, file, "a file of a kind that keeps secrets");
        }
        facts.secrets.iter().for_each(|sighting| sink.report_sighting(row, file, sighting));
    }
}

fn dev_leftovers(package: &Package<'_>, sink: &mut Sink<'_>) {
    report_named(package, sink, "needed to build the package, not to run it", |name| {
        name.has_extension(&["map"]) || DEV_NAMES.contains(&name.file()) || name.is_in(DEV_FOLDERS)
    });
}

fn signature_material(package: &Package<'_>, sink: &mut Sink<'_>) {
    report_named(package, sink, "signature material in a package that is not signed", |name| {
        name.has_extension(&["sig", "asc", "p7s", "minisig", "sigstore"])
            || name.file().ends_with(".intoto.jsonl")
            || name.is_in(SIGNATURE_FOLDERS)
    });
}

/// Reports the files whose name is of a kind.
fn report_named(package: &Package<'_>, sink: &mut Sink<'_>, message: &str, is_of_kind: impl Fn(&Name<'_>) -> bool) {
    for (row, file, _) in package.named().filter(|(_, _, name)| is_of_kind(name)) {
        sink.report_file(row, file, message);
    }
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

    fn plain<'p>(paths: &[&'p str]) -> Vec<Plain<'p>> {
        let folder_bytes = |path: &str| path.rfind('/').map_or(0, |slash| slash + 1);
        let plain =
            |path: &&'p str| Plain { path, folder_bytes: folder_bytes(path), is_own_key: path::is_lower_ascii(path) };
        paths.iter().map(plain).collect()
    }

    #[test]
    fn the_manifest_takes_part_and_disorder_is_never_apart() {
        let apart = |paths: &[&str]| are_apart(&plain(paths));
        assert!(apart(&[]) && apart(&["a", "svc-app", "svc-app.json5"]));
        assert!(!apart(&["SVC-App.json"]) && !apart(&["Svc-App.json/a"]));
        assert!(!apart(&["svc-app.json"]) && !apart(&["svc-app.json/a"]));
        assert!(!apart(&["b", "a"]) && !apart(&["a", "a"]));
    }

    #[test]
    fn the_table_tells_whether_any_two_names_meet() {
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
            assert_eq!(are_apart(&plain(&paths)), !meets(&keyed), "{paths:?}");
        }
    }
}
