//! F: the files of a package. What only the walk over the folder can see is found there, under these rules.

use crate::{
    package::fact_table::{
        ARCHIVE, BINARY, Known, PAGE, PATTERN, PUBLIC_KEY, REFERENCE, SECRET, SHAPE, SIGNATURE_MATERIAL, UNREAD, WASM,
    },
    rules::{
        collisions::colliding_paths,
        family::rules,
        package::{Name, Package, Sink},
    },
    scalar::{path, subject::Subject},
    words::{kind, limits, rule::Rule},
};

rules! {
    F001 Error, FileTable, "a declared file is missing" {
        why: "The manifest promises a file that nobody would receive.",
        fix: "Add the file, or a pattern in `files` that matches it.",
        fires: Manifest(r#"{ "entry": { "renderer": "dist/index.html" } }"#),
        passes: Manifest(r#"{ "entry": { "renderer": "index.html" } }"#),
        check: declared_files,
    }
    F002 Error, FileTable, "a path that not every system can hold" {
        why: "Paths that leave the package, or mean something else on another system, are how archives attack.",
        fix: "Use relative paths with `/`, without `..`, backslashes, control characters or device names.",
        fires: Manifest(r#"{ "files": ["**", "../shared/**"] }"#),
        passes: Manifest(r#"{ "files": ["**", "assets/**"] }"#),
    }
    F003 Error, FileTable, "two paths that are one on some systems" {
        why: "On file systems that ignore case or composition one file would replace the other.",
        fix: "Rename one of the two.",
        fires: Files("assets/Icon.png"),
        passes: Files("assets/icon-2.png"),
        check: colliding_paths,
    }
    F004 Error, FileTable, "a file or the package is too large" {
        why: "Hosts load packages on the way to showing them.",
        fix: "Make it smaller, or leave it out with `.svcignore`.",
        fires: Case("a file of 26,214,401 bytes"),
        passes: Case("a file of 26,214,400 bytes"),
        parameters: { "file-bytes": Number(limits::FILE_BYTES), "package-bytes": Number(limits::PACKAGE_BYTES) },
        check: too_large,
    }
    F005 Error, FileTable, "too many files" {
        why: "Every file costs each reader of the package.",
        fix: "Bundle the sources, or leave files out with `.svcignore`.",
        fires: Case("a package of 10,001 files"),
        passes: Case("a package of 10,000 files"),
        parameters: { "files": Number(limits::PACKAGE_FILES as u64) },
        check: too_many,
    }
    F006 Error, Facts, "a native program" {
        why: "A renderer is pages, styles and scripts; a program that a system runs cannot be kept apart.",
        fix: "Leave it out; ship scripts that the renderer loads.",
        fires: Files("tools/convert: hex:7f454c4602010100"),
        passes: Files("tools/convert.js: export const convert = (text) => text;"),
        parameters: { "facts": Words(&[BINARY]), "warned": Words(LIGHT_PROGRAMS) },
        check: native_program,
    }
    F007 Warning, FileTable, "junk" {
        why: "Files that systems and editors leave behind say more about your machine than about the package.",
        fix: "Leave it out with `.svcignore`.",
        fires: Files("assets/icon.png.orig"),
        passes: Files("assets/store.json: {}"),
        parameters: {
            "beginnings": Words(JUNK.beginnings),
            "ends": Words(JUNK.ends),
            "extensions": Words(JUNK.extensions),
            "folders": Words(JUNK.folders),
            "names": Words(JUNK.names),
        },
        check: junk,
    }
    F008 Error, Facts, "a secret" {
        why: "Everyone who gets the package could use it.",
        fix: "Take it back where it was issued, then remove it from the package.",
        fires: Files(r#"config.js: const token = "svcr_0123456789abcdef0123456789abcdef";"#),
        passes: Files("config.js: const token = settings.token;"),
        parameters: {
            "beginnings": Words(KEEPS_SECRETS.beginnings),
            "but-ends": Words(EXAMPLE_ENDS),
            "extensions": Words(KEEPS_SECRETS.extensions),
            "facts": Words(&[SECRET]),
            "names": Words(KEEPS_SECRETS.names),
        },
        check: secrets,
    }
    F009 Warning, FileTable, "left over from development" {
        why: "It makes the package larger and shows more than it runs.",
        fix: "Leave it out with `.svcignore` or a narrower pattern.",
        fires: Files("app.js.map: {}"),
        passes: Files("app.js: start();"),
        parameters: {
            "ends": Words(DEVELOPMENT.ends),
            "extensions": Words(DEVELOPMENT.extensions),
            "folders": Words(DEVELOPMENT.folders),
            "names": Words(DEVELOPMENT.names),
        },
        check: dev_leftovers,
    }
    F010 Error, FileTable, "the package holds the tool's own output" {
        why: "A bundle inside the package changes with every run, so no two runs agree.",
        fix: "Write the bundle elsewhere, or leave it out with `.svcignore`.",
        fires: Files("svc-registry-submission.json: {}"),
        passes: Files("submission.json: {}"),
        check: own_output,
    }
    F011 Warning, FileTable, "no README" {
        why: "Reviewers start there.",
        fix: "Add a README.md and a pattern in `files` that matches it.",
        fires: Files("- README.md"),
        passes: Files("README.md: # Weather Board"),
        check: no_readme,
    }
    F012 Warning, Facts, "a pattern matches nothing" {
        why: "It is a misspelt name, or a build that did not run.",
        fix: "Mend the pattern, or build first.",
        fires: Manifest(r#"{ "files": ["**", "asets/**"] }"#),
        passes: Manifest(r#"{ "files": ["**", "assets/**"] }"#),
        parameters: { "facts": Words(&[PATTERN]) },
        check: idle_pattern,
    }
    F013 Error, Facts, "signature material" {
        why: "The package is not signed; a signature inside it could only mislead.",
        fix: "Leave it out.",
        fires: Files(r"index.html.txt: -----BEGIN PGP SIGNATURE-----\n\niQEz\n-----END PGP SIGNATURE-----"),
        passes: Files("signature.html: <!doctype html><p>How to sign the form"),
        parameters: { "facts": Words(&[SIGNATURE_MATERIAL]) },
        check: signature_material,
    }
    F014 Error, Folder, "a link or special file" {
        why: "A link can lead out of the package, and a pipe or device has no content to hash.",
        fix: "Put the file itself there, or leave it out with `.svcignore`.",
        fires: Case("a symbolic link: assets/icon-2.png -> icon.png"),
        passes: Case("a copy: assets/icon-2.png with the bytes of assets/icon.png"),
    }
    F015 Error, Folder, "a file changed while it was read" {
        why: "The digest would be of bytes that never stood together.",
        fix: "Wait for the build to end, then run again.",
        fires: Case("a build that writes index.html while it is read"),
        passes: Case("the same index.html after the build has ended"),
    }
    F016 Error, FileTable, "an artifact would exceed the registry's limit" {
        why: "The registry would refuse the body before reading it.",
        fix: "Make the package smaller: fewer files or shorter paths.",
        fires: Case("10,000 files with paths of 400 bytes: svc-registry-submission.json would be larger than 4,194,304 bytes"),
        passes: Case("10,000 files with paths of 40 bytes"),
        parameters: {
            "artifact-bytes": Number(limits::ARTIFACT_BYTES as u64),
            "index-bytes": Number(limits::INDEX_BYTES as u64),
        },
    }
    F017 Blocker, Facts, "a file that the renderer needs is missing" {
        why: "The page would be shown without it, or not at all.",
        fix: "Add the file, correct the address, or add a pattern in `files` that matches it.",
        fires: Files(r#"index.html: <!doctype html><script src="app.js"></script>"#),
        passes: Files(r#"index.html: <!doctype html><script src="board.js"></script>"#),
        parameters: { "facts": Words(&[REFERENCE]) },
        check: missing_reference,
    }
    F018 Error, Facts, "the renderer is no page" {
        why: "A host shows the renderer as a page; anything else shows nothing, or something else than was meant.",
        fix: "Name an HTML document in `entry.renderer`.",
        fires: Manifest(r#"{ "entry": { "renderer": "README.md" } }"#),
        passes: Manifest(r#"{ "entry": { "renderer": "index.html" } }"#),
        parameters: { "facts": Words(&[PAGE]) },
        check: renderer_is_page,
    }
    F019 Warning, Facts, "an archive" {
        why: "What is inside it is not part of what is reviewed.",
        fix: "Put the files themselves into the package, or leave the archive out.",
        fires: Files("data.bin: hex:504b0304140000000800"),
        passes: Files("data.json: {}"),
        parameters: { "facts": Words(&[ARCHIVE]) },
        check: archive,
    }
    F020 Warning, Facts, "a file that was not read to its end" {
        why: "What was not read was not reviewed: the rules that go by code are skipped, not passed.",
        fix: "Mend the file, or leave it out with `.svcignore`.",
        fires: Files("app.js: const a = ;"),
        passes: Files("app.js: const a = 1;"),
        parameters: { "facts": Words(&[UNREAD]) },
        check: unread,
    }
    F021 Note, Facts, "code that people cannot read" {
        why: "A reviewer sees what it does by its facts alone, and asks for its source.",
        fix: "Nothing, when it is the output of a build whose source is public; say so in the README.",
        fires: Files("app.wasm: hex:0061736d01000000"),
        passes: Files("app.js: start();"),
        parameters: { "facts": Words(&[SHAPE, WASM]), "words": Words(UNREADABLE) },
        check: unreadable_code,
    }
    F022 Note, Facts, "a script that browsers do not run" {
        why: "It is a source that still has to be built; a page that loads it gets an error.",
        fix: "Ship what the build makes of it, and leave the source out with `.svcignore`.",
        fires: Files("app.jsx: export const board = <main />;"),
        passes: Files("app.js: export const board = 1;"),
        parameters: { "facts": Words(&[SHAPE]), "words": Words(SOURCES) },
        check: script_source,
    }
    F023 Note, Facts, "a key that its service means to be public" {
        why: "Such a key is made to be seen; what it may do is set where it was issued.",
        fix: "Restrict it there to the origins and uses that the package needs.",
        fires: Files(r#"config.js: const key = "AIzaSyU8JZpDE0iGXlD6gNCFbaEPFjbD0kH8Ooo";"#),
        passes: Files("config.js: const key = settings.key;"),
        parameters: { "facts": Words(&[PUBLIC_KEY]) },
        check: public_key,
    }
}

/// Names of files that are of a kind, in lowercase.
struct Names {
    names: &'static [&'static str],
    beginnings: &'static [&'static str],
    ends: &'static [&'static str],
    extensions: &'static [&'static str],
    folders: &'static [&'static str],
}

impl Names {
    const NONE: Self = Self { names: &[], beginnings: &[], ends: &[], extensions: &[], folders: &[] };

    /// The names that a rule knows.
    fn of(rule: &Rule) -> Self {
        Self {
            names: rule.words("names"),
            beginnings: rule.words("beginnings"),
            ends: rule.words("ends"),
            extensions: rule.words("extensions"),
            folders: rule.words("folders"),
        }
    }

    fn has(&self, name: &Name<'_>) -> bool {
        let file = name.file();
        self.names.contains(&file)
            || self.beginnings.iter().any(|beginning| file.starts_with(beginning))
            || self.ends.iter().any(|end| file.ends_with(end))
            || name.has_extension(self.extensions)
            || name.is_in(self.folders)
    }
}

const JUNK: Names = Names {
    names: &[".ds_store", "thumbs.db", "desktop.ini"],
    beginnings: &["._"],
    ends: &["~"],
    extensions: &["orig", "rej", "swp", "bak", "tmp"],
    // The folder in which one system keeps what its archives need.
    folders: &["__macosx"],
};

const KEEPS_SECRETS: Names = Names {
    names: &[".env", ".netrc", ".npmrc", ".pypirc", "credentials", "id_dsa", "id_ecdsa", "id_ed25519", "id_rsa"],
    beginnings: &[".env."],
    extensions: &["p12", "pfx", "jks", "keystore", "kdbx"],
    ..Names::NONE
};

/// Ends of names that say what a file with secrets would look like.
const EXAMPLE_ENDS: &[&str] = &[".example", ".sample", ".template", ".dist", ".d.ts"];

/// Programs that are text for an interpreter.
const LIGHT_PROGRAMS: &[&str] = &["shell-script"];

/// Words of facts: code that people cannot read, and scripts that are still to be built.
const UNREADABLE: &[&str] = &["minified", "obfuscated", "source-map-paths", "module"];
const SOURCES: &[&str] = &["jsx", "typescript"];

const DEVELOPMENT: Names = Names {
    ends: &[".d.cts", ".d.mts", ".d.ts", ".env.dist", ".env.example", ".env.sample", ".env.template"],
    names: &[
        ".editorconfig",
        ".eslintrc.json",
        ".gitignore",
        ".prettierrc",
        "package-lock.json",
        "pnpm-lock.yaml",
        "tsconfig.json",
        "yarn.lock",
    ],
    extensions: &["map"],
    folders: &[".git", ".github", ".idea", ".svc", ".vscode", "__tests__", "coverage", "node_modules", "test", "tests"],
    ..Names::NONE
};

fn declared_files(package: &Package<'_>, sink: &mut Sink<'_>) {
    let mut declared = vec!["/entry/renderer".to_owned()];
    for list in ["/icons", "/screenshots"] {
        declared.extend(package.list(list).map(|(pointer, _)| pointer.join("src").to_string()));
    }
    for pointer in declared {
        let Some(path) = package.text(&pointer) else { continue };
        // A path that no system can hold has a finding of its own.
        if path::fault(path).is_none() && !package.has_file(path) {
            sink.report(pointer, format!("`{path}` is not in the package"));
        }
    }
}

fn too_large(package: &Package<'_>, sink: &mut Sink<'_>) {
    let (most_of_one, most_of_all) = (sink.rule.number("file-bytes"), sink.rule.number("package-bytes"));
    let mut total: u64 = 0;
    for (row, file) in package.rows() {
        total = total.saturating_add(file.size.get());
        if file.size.get() > most_of_one {
            let size = file.size.get();
            sink.report_file(row, file, format!("the file has {size} bytes; {most_of_one} are the most"));
        }
    }
    if total > most_of_all {
        let message = format!("the files have {total} bytes together; {most_of_all} are the most");
        sink.report("/files", message);
    }
}

fn too_many(package: &Package<'_>, sink: &mut Sink<'_>) {
    let (count, most) = (package.files.unwrap_or_default().len() as u64, sink.rule.number("files"));
    if count > most {
        sink.report("/files", format!("the package has {count} files; {most} are the most"));
    }
}

fn native_program(package: &Package<'_>, sink: &mut Sink<'_>) {
    for (fact, known) in package.facts_of(&[BINARY]) {
        let finding = sink.of_fact(package, fact, known);
        // A text for an interpreter runs only where somebody lets it.
        let is_text = sink.rule.words("warned").contains(&fact.word.as_str());
        sink.report_finding(if is_text { finding.lightened() } else { finding });
    }
}

fn junk(package: &Package<'_>, sink: &mut Sink<'_>) {
    report_named(package, sink, "left over by a system or an editor");
}

fn secrets(package: &Package<'_>, sink: &mut Sink<'_>) {
    let names = Names::of(sink.rule);
    for (row, file, name) in package.named().filter(|(_, _, name)| names.has(name)) {
        if !sink.rule.words("but-ends").iter().any(|end| name.file().ends_with(end)) {
            sink.report_file(row, file, "a file of a kind that keeps secrets");
        }
    }
    sink.report_facts(package, &[SECRET]);
}

fn dev_leftovers(package: &Package<'_>, sink: &mut Sink<'_>) {
    report_named(package, sink, "needed to build the package, not to run it");
}

fn signature_material(package: &Package<'_>, sink: &mut Sink<'_>) {
    sink.report_facts(package, &[SIGNATURE_MATERIAL]);
}

/// Reports the files whose name is of a kind.
fn report_named(package: &Package<'_>, sink: &mut Sink<'_>, message: &str) {
    let names = Names::of(sink.rule);
    for (row, file, _) in package.named().filter(|(_, _, name)| names.has(name)) {
        sink.report_file(row, file, message);
    }
}

fn own_output(package: &Package<'_>, sink: &mut Sink<'_>) {
    let is_ours = |name: &Name<'_>| kind::ALL.iter().any(|spec| spec.file == name.file());
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
    let patterns = package.at("/files").map_or(0, |files| files.elements().len());
    for (fact, known) in package.facts_of(&[PATTERN]) {
        match (known, fact.subject.as_ref().and_then(Subject::as_number)) {
            // A row that the manifest does not have says nothing of this package.
            (Known::One(spec), Some(row)) if row < patterns => {
                sink.report(format!("/files/{row}"), spec.means);
            }
            (Known::One(_), Some(_)) => {}
            (Known::One(_) | Known::Cut, _) => {
                sink.report("/files", format!("{} patterns match no file", fact.count.get()))
            }
        }
    }
}

fn missing_reference(package: &Package<'_>, sink: &mut Sink<'_>) {
    sink.report_facts(package, &[REFERENCE]);
}

fn renderer_is_page(package: &Package<'_>, sink: &mut Sink<'_>) {
    let Some(renderer) = package.text("/entry/renderer").filter(|path| package.has_file(path)) else { return };
    let is_page =
        package.facts_of(&[PAGE]).any(|(fact, _)| fact.file.as_ref().is_some_and(|file| file.as_str() == renderer));
    if !is_page && package.has_row(renderer) {
        sink.report("/entry/renderer", format!("`{renderer}` is no HTML document"));
    }
}

fn archive(package: &Package<'_>, sink: &mut Sink<'_>) {
    sink.report_facts(package, &[ARCHIVE]);
}

fn unread(package: &Package<'_>, sink: &mut Sink<'_>) {
    sink.report_facts(package, &[UNREAD]);
}

fn unreadable_code(package: &Package<'_>, sink: &mut Sink<'_>) {
    report_words(package, sink, &[SHAPE, WASM]);
}

fn script_source(package: &Package<'_>, sink: &mut Sink<'_>) {
    report_words(package, sink, &[SHAPE]);
}

fn public_key(package: &Package<'_>, sink: &mut Sink<'_>) {
    sink.report_facts(package, &[PUBLIC_KEY]);
}

/// Reports the facts of these kinds that have one of the words of the rule.
fn report_words(package: &Package<'_>, sink: &mut Sink<'_>, kinds: &[&str]) {
    let words = sink.rule.words("words");
    for (fact, known) in package.facts_of(kinds).filter(|(fact, _)| words.contains(&fact.word.as_str())) {
        sink.report_fact(package, fact, known);
    }
}
