//! What is known against the versions that the lock file pins.
//!
//! Yanked versions are known to the index of crates, which every build asks. Advisories are known to RustSec's database, which
//! no package registry carries: whoever has a clone of it names it by `SVC_ADVISORY_DB`. Without one this step says loudly
//! that nothing was compared. That `cargo deny` finds what a database names is tried each time, with one made here.
//!
//! Absent on purpose: packages of npm and PyPI. Nothing that is shipped depends on one, and their advisories come from services
//! that mirrors of the registries do not have.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::{SystemTime, UNIX_EPOCH},
};

use anyhow::{Context as _, Result, ensure};

use svc_gates::process::{command, root, run, said, target};

/// A version that was yanked long ago, which must be found.
const YANKED: (&str, &str) = ("futures-util", "0.3.30");

/// Stands for a database; git is told where it really is.
const DATABASE: &str = "https://advisories.example/db";

/// An advisory against a crate that every build of this project has.
const PLANTED: &str = "```toml\n[advisory]\nid = \"RUSTSEC-2099-0001\"\npackage = \"serde\"\ndate = \"2026-01-01\"\n\n\
    [versions]\npatched = []\n```\n\n# Planted\n\nTo see that it is found.\n";

/// Nothing that is locked was yanked; and a planted yanked version is found.
pub(crate) fn none_yanked() -> Result<String> {
    let folder = target().join("xtask/yanked");
    let locked = locked()?;
    resolve(&folder, locked.iter().map(|(name, version)| (name.as_str(), version.as_str())))?;
    let refusal = resolve(&folder, [YANKED].into_iter());
    let is_found = refusal.is_err_and(|error| error.to_string().contains("is yanked"));
    ensure!(is_found, "{} {} was yanked, and cargo takes it", YANKED.0, YANKED.1);
    Ok(format!("none of {} locked crates is yanked", locked.len()))
}

/// Everything that the lock file pins and that is not of this workspace.
fn locked() -> Result<Vec<(String, String)>> {
    let lock: toml::Table = toml::from_str(&fs::read_to_string(root().join("Cargo.lock"))?)?;
    let rows = lock.get("package").and_then(toml::Value::as_array).context("no packages")?;
    let text =
        |row: &toml::Value, name: &str| row.get(name).and_then(toml::Value::as_str).unwrap_or_default().to_owned();
    let fetched = rows.iter().filter(|row| row.get("checksum").is_some());
    Ok(fetched.map(|row| (text(row, "name"), text(row, "version"))).collect())
}

/// A package that needs exactly these versions, without a lock file: cargo picks no yanked version by itself.
fn resolve<'a>(folder: &Path, versions: impl Iterator<Item = (&'a str, &'a str)>) -> Result<()> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder.join("src"))?;
    fs::write(folder.join("src/lib.rs"), "")?;
    let mut manifest =
        "[package]\nname = \"locked\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n"
            .to_owned();
    for (number, (name, version)) in versions.enumerate() {
        let version = version.split('+').next().unwrap_or(version);
        writeln!(
            manifest,
            "c{number} = {{ package = \"{name}\", version = \"={version}\", default-features = false }}"
        )?;
    }
    fs::write(folder.join("Cargo.toml"), manifest)?;
    let mut lock = command("cargo", &["generate-lockfile", "--quiet"]);
    said(lock.current_dir(folder)).map(drop)
}

/// What the database says, if there is one. The planted advisory is found in any case.
pub(crate) fn advisories(deny: &Path) -> Result<String> {
    let planted = target().join("xtask/advisories-planted");
    let _ = fs::remove_dir_all(&planted);
    fs::create_dir_all(planted.join("crates/serde"))?;
    fs::write(planted.join("crates/serde/RUSTSEC-2099-0001.md"), PLANTED)?;
    for arguments in [
        &["init", "--quiet", "--initial-branch", "main"][..],
        &["add", "--all"],
        &["-c", "user.name=gate", "-c", "user.email=gate@example", "commit", "--quiet", "--message", "planted"],
    ] {
        run({
            let mut git = Command::new("git");
            git.args(arguments).current_dir(&planted);
            git
        })?;
    }
    let found = checked(deny, &planted)?.output()?;
    let told = String::from_utf8_lossy(&found.stderr).into_owned();
    let is_found = !found.status.success() && told.contains("RUSTSEC-2099-0001");
    ensure!(is_found, "cargo-deny does not find a planted advisory:\n{told}");
    let Some(database) = std::env::var_os("SVC_ADVISORY_DB").map(PathBuf::from) else {
        return Ok(
            "RUST ADVISORIES WERE NOT COMPARED: no database; name a clone of RustSec's by SVC_ADVISORY_DB".to_owned()
        );
    };
    run(checked(deny, &database)?)?;
    let mut newest = Command::new("git");
    newest.args(["log", "-1", "--format=%ct"]).current_dir(&database);
    let newest: u64 = said(&mut newest)?.parse()?;
    let days = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs().saturating_sub(newest) / 86_400;
    Ok(format!("no advisory; the database is {days} days old"))
}

/// cargo-deny with a database on this machine. Nothing is asked of the network: git is led to the folder.
fn checked(deny: &Path, database: &Path) -> Result<Command> {
    let clones = target().join("xtask/advisory-clones");
    let _ = fs::remove_dir_all(&clones);
    let config = target().join("xtask/deny-advisories.toml");
    let path = clones.to_str().context("a path that is no text")?;
    let rules = format!(
        "[graph]\nall-features = true\n[advisories]\ndb-path = {path:?}\ndb-urls = [\"{DATABASE}\"]\n\
         git-fetch-with-cli = true\nyanked = \"allow\"\n"
    );
    fs::write(&config, rules)?;
    let mut check = command(&deny.to_string_lossy(), &["--locked", "--workspace", "--config"]);
    check.arg(config).args(["check", "advisories"]).env("GIT_CONFIG_COUNT", "1");
    check.env("GIT_CONFIG_KEY_0", format!("url.{}.insteadOf", database.canonicalize()?.display()));
    check.env("GIT_CONFIG_VALUE_0", DATABASE);
    Ok(check)
}
