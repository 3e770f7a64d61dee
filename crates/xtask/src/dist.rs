//! `cargo xtask dist`: the release archive and the npm package. The same commit and the same compiler give the same bytes.
//!
//! Absent on purpose: signatures and uploads. Checksums show that files arrived as they were packed, not who packed them.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, bail, ensure};

use crate::{
    npm_package,
    process::{command, output, root, run, said, target},
    programs::{Program, Programs},
    sbom::{self, Subject},
    tarball::{Contents, hex_digest, pack},
};

/// How the programs are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    /// As it is handed out.
    Release,
    /// Quickly, to look at the archive.
    Debug,
}

impl Profile {
    /// The features of a program beyond the defaults.
    pub(crate) fn features(self, program: Program) -> &'static [&'static str] {
        match self {
            Self::Release => program.release_features(),
            Self::Debug => &[],
        }
    }
}

/// Taken from the root of the repository as they are.
const DOCUMENTS: [&str; 5] = ["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md", "THIRD-PARTY.md"];

/// Shells and the file names that they look for, before and after the name of the program.
const COMPLETIONS: [(&str, &str, &str); 5] = [
    ("bash", "", ".bash"),
    ("elvish", "", ".elv"),
    ("fish", "", ".fish"),
    ("powershell", "_", ".ps1"),
    ("zsh", "_", ""),
];

/// Builds the programs and writes the archive and the npm package, each with its checksum next to it.
pub(crate) fn make(profile: Profile) -> Result<()> {
    let commit = Commit::current()?;
    let host = host()?;
    let programs = build(profile, &commit)?;
    let (name, archive) = archive(&programs, &root(), profile, &commit)?;
    write(&name, &archive, &commit)?;
    let package = npm_package::tarball(fs::read(&programs.svc)?, commit.seconds)?;
    let (most, bytes) = (npm_package::MOST_BYTES, package.len());
    ensure!(profile == Profile::Debug || bytes <= most, "the npm package has {bytes} bytes, more than {most}");
    write(&npm_package::file_name(&host), &package, &commit)
}

/// The archive with its name, of the programs and the documents next to their sources.
pub(crate) fn archive(
    programs: &Programs,
    sources: &Path,
    profile: Profile,
    commit: &Commit,
) -> Result<(String, Vec<u8>)> {
    let name = format!("svc-{}-{}", env!("CARGO_PKG_VERSION"), host()?);
    let executable = Program::ALL.map(Program::file);
    let executable = executable.each_ref().map(String::as_str);
    let archive = pack(&name, &contents(programs, sources, profile, commit)?, &executable, commit.seconds)?;
    Ok((format!("{name}.tar.gz"), archive))
}

#[expect(clippy::print_stdout, reason = "a task talks to its developer")]
fn write(file: &str, bytes: &[u8], commit: &Commit) -> Result<()> {
    let folder = target().join("dist");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join(file), bytes)?;
    fs::write(folder.join(format!("{file}.sha256")), format!("{}  {file}\n", hex_digest(bytes)))?;
    println!("{}  {} bytes, commit {}", folder.join(file).display(), bytes.len(), commit.name);
    Ok(())
}

/// What the programs say they were built from.
pub(crate) struct Commit {
    pub(crate) name: String,
    /// When it was made, in seconds since 1970.
    pub(crate) seconds: u64,
}

impl Commit {
    /// The commit that is checked out. Changes that are not committed show in its name.
    pub(crate) fn current() -> Result<Self> {
        let hash = said(&mut command("git", &["rev-parse", "HEAD"]))?;
        let changed = said(&mut command("git", &["status", "--porcelain", "--untracked-files=no"]))?;
        let seconds = said(&mut command("git", &["log", "-1", "--format=%ct"]))?.parse()?;
        let name = if changed.is_empty() { hash } else { format!("{hash}-modified") };
        Ok(Self { name, seconds })
    }
}

/// Builds the programs.
pub(crate) fn build(profile: Profile, commit: &Commit) -> Result<Programs> {
    build_at(&root().canonicalize()?, &target(), profile, commit)
}

/// The same from sources elsewhere, into a folder for built things.
pub(crate) fn build_at(sources: &Path, target: &Path, profile: Profile, commit: &Commit) -> Result<Programs> {
    let folder = match profile {
        Profile::Debug => "debug",
        Profile::Release => "release",
    };
    // One after the other, so that each has the features that its own package asks for.
    for program in Program::ALL {
        let mut cargo = command("cargo", &["build", "--locked", "--package", program.name(), "--target-dir"]);
        cargo.arg(target).current_dir(sources).env("SVC_COMMIT", &commit.name);
        match profile {
            Profile::Debug => drop(cargo.args(["--profile", "test"])),
            Profile::Release => {
                cargo.args(["--release", "--features"]).arg(profile.features(program).join(","));
                cargo.env("RUSTFLAGS", remapped(sources)?);
            }
        }
        run(cargo)?;
    }
    let programs = Programs::in_folder(&target.join(folder));
    if profile == Profile::Release {
        for (_, path) in programs.all() {
            refuse_machine_paths(&fs::read(path)?, sources)?;
        }
    }
    Ok(programs)
}

/// Flags that keep the paths of this machine out of the program.
fn remapped(sources: &Path) -> Result<OsString> {
    let mut flags = OsString::new();
    for (folder, name) in machine_paths(sources)?.into_iter().zip(["/svc", "/cargo"]) {
        flags.push(" --remap-path-prefix=");
        flags.push(folder);
        flags.push(format!("={name}"));
    }
    Ok(flags)
}

/// The folder of the sources and cargo's.
fn machine_paths(sources: &Path) -> Result<[PathBuf; 2]> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo"))).context("there is no home folder")?;
    Ok([sources.to_owned(), home])
}

fn refuse_machine_paths(program: &[u8], sources: &Path) -> Result<()> {
    for folder in machine_paths(sources)? {
        let folder = folder.as_os_str().as_encoded_bytes();
        if program.windows(folder.len()).any(|part| part == folder) {
            bail!("the program holds the path {}", String::from_utf8_lossy(folder));
        }
    }
    Ok(())
}

/// The programs, their pages and scripts, what they are made of, and the documents, with the checksum of each.
fn contents(programs: &Programs, sources: &Path, profile: Profile, commit: &Commit) -> Result<Contents> {
    let mut files = Contents::new();
    for (program, path) in programs.all() {
        let (name, features, seconds) = (program.name(), profile.features(program), commit.seconds);
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let subject = Subject { program, features, bytes: Some(&bytes), libraries: &[], seconds };
        files.insert(format!("{name}.cdx.json"), sbom::of(subject)?.bytes()?);
        files.insert(program.file(), bytes);
        for (shell, before, after) in COMPLETIONS {
            let script = output(Command::new(path).args(["completions", shell]))?;
            files.insert(format!("completions/{before}{name}{after}"), script);
        }
        files.extend(man_pages(path)?);
    }
    for document in DOCUMENTS {
        let bytes = fs::read(sources.join(document)).with_context(|| format!("cannot read {document}"))?;
        files.insert(document.to_owned(), bytes);
    }
    let sums: String = files.iter().map(|(path, bytes)| format!("{}  {path}\n", hex_digest(bytes))).collect();
    files.insert("SHA256SUMS".to_owned(), sums.into_bytes());
    Ok(files)
}

fn man_pages(program: &Path) -> Result<Contents> {
    let folder = target().join("dist/man1");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    output(Command::new(program).arg("man").arg(&folder))?;
    let mut pages = Contents::new();
    for entry in fs::read_dir(&folder)? {
        let entry = entry?;
        pages.insert(format!("man/man1/{}", entry.file_name().to_string_lossy()), fs::read(entry.path())?);
    }
    fs::remove_dir_all(&folder)?;
    Ok(pages)
}

pub(crate) fn host() -> Result<String> {
    let version = said(&mut command("rustc", &["-vV"]))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc does not name its host")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_program_that_tells_where_it_was_built_is_refused() {
        let path = root().canonicalize().unwrap();
        let program = [b"\x7fELF", path.as_os_str().as_encoded_bytes(), b"/crates"].concat();
        assert!(refuse_machine_paths(&program, &path).is_err());
        assert!(refuse_machine_paths(b"\x7fELF /svc/crates /cargo/registry", &path).is_ok());
    }

    #[test]
    fn the_archive_holds_programs_pages_completions_licences_and_checksums() {
        let files =
            contents(&Programs::build().unwrap(), &root(), Profile::Debug, &Commit::current().unwrap()).unwrap();
        let names: BTreeSet<&str> = files.keys().map(String::as_str).collect();
        let pages: BTreeSet<&str> = names.iter().copied().filter(|name| name.starts_with("man/man1/")).collect();
        let others: Vec<&str> = names.difference(&pages).copied().collect();
        let expected = [
            "CHANGELOG.md",
            "LICENSE-APACHE",
            "LICENSE-MIT",
            "README.md",
            "SHA256SUMS",
            "THIRD-PARTY.md",
            "completions/_svc",
            "completions/_svc-registry",
            "completions/_svc-registry.ps1",
            "completions/_svc.ps1",
            "completions/svc-registry.bash",
            "completions/svc-registry.elv",
            "completions/svc-registry.fish",
            "completions/svc.bash",
            "completions/svc.elv",
            "completions/svc.fish",
            "svc",
            "svc-registry",
            "svc-registry.cdx.json",
            "svc.cdx.json",
        ];
        assert_eq!(others, expected);
        for page in [
            "svc.1",
            "svc-app-preflight.1",
            "svc-app-registry-install-policy-validate.1",
            "svc-log-verify.1",
            "svc-registry.1",
            "svc-registry-journal-verify.1",
        ] {
            assert!(pages.contains(format!("man/man1/{page}").as_str()), "{page}");
        }
        let sums = std::str::from_utf8(&files["SHA256SUMS"]).unwrap();
        assert_eq!(sums.lines().count(), files.len() - 1);
        for line in sums.lines() {
            let (digest, path) = line.split_once("  ").unwrap();
            assert_eq!(digest, hex_digest(&files[path]), "{path}");
        }
    }
}
