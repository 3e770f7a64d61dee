//! `kill -9` at any moment: afterwards the output is absent, the old one or the new one, whole.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use serde_json::json;
use svc_core::words::kind;
use tempfile::TempDir;

use crate::{
    bundle::Package,
    campaign::{self, Random, Record},
    folder,
    svc::{Svc, app},
};

/// What is written, where, and what may be found there.
struct Target {
    what: &'static str,
    arguments: Vec<PathBuf>,
    folder: TempDir,
    old: Vec<u8>,
    new: Vec<u8>,
    /// How long an undisturbed run takes.
    lasts: Duration,
}

/// When a run is ended.
#[derive(Clone, Copy)]
enum Moment {
    /// After a time that was thrown.
    After(Duration),
    /// This long after its temporary file was seen.
    WhileWriting(Duration),
}

#[test]
fn a_killed_run_leaves_the_old_file_or_the_new_one_and_never_a_torn_one() {
    let package = large_package();
    let targets = [pack_target(&package), registry_target(&package)];
    let rounds = campaign::count(20, 400);
    let mut random = Random::new("kills");
    let mut tally: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for round in 0..rounds {
        let target = &targets[round % targets.len()];
        let moment = target.moment(round, &mut random);
        let had_old = round % 4 < 2;
        match target.kill_once(had_old, moment) {
            Ok(ended) => ended.into_iter().for_each(|word| *tally.entry(word).or_default() += 1),
            Err(torn) => found.push(format!("round {round}, {}: {torn}", target.what)),
        }
    }
    for target in &targets {
        found.extend(target.still_works());
    }
    let mut counts = vec![("runs killed".to_owned(), rounds)];
    counts.extend(tally.into_iter().map(|(word, count)| (word.to_owned(), count)));
    let tried =
        "`svc app pack` and `svc app registry` are killed, half of them at a random moment, half while writing.";
    Record { name: "kills", tried, counts, found }.close();
}

impl Target {
    fn out(&self) -> PathBuf {
        self.folder.path().join("out.json")
    }

    fn svc(&self) -> Svc {
        app(["--color", "never"]).args(&self.arguments).args(["--out"]).args([self.out()])
    }

    fn moment(&self, round: usize, random: &mut Random) -> Moment {
        let micros = |most: u128, random: &mut Random| {
            Duration::from_micros(u64::try_from(random.below(usize::try_from(most.max(1)).unwrap())).unwrap())
        };
        if (round / 2).is_multiple_of(2) {
            Moment::After(micros(self.lasts.as_micros() * 11 / 10, random))
        } else {
            Moment::WhileWriting(micros(500, random))
        }
    }

    /// One killed run and what it left, in words; `Err` for anything that must never be found.
    fn kill_once(&self, had_old: bool, moment: Moment) -> Result<Vec<&'static str>, String> {
        self.reset(had_old);
        let mut child = self.svc().spawn();
        match moment {
            Moment::After(time) => thread::sleep(time),
            Moment::WhileWriting(time) => {
                while child.try_wait().unwrap().is_none() && self.temporary().is_none() {}
                let seen = Instant::now();
                while seen.elapsed() < time {}
            }
        }
        child.kill().unwrap();
        let ended_by_itself = child.wait().unwrap().code().is_some();
        let mut words = vec![if ended_by_itself { "ended before the kill" } else { "killed before the end" }];
        for name in folder::contents(self.folder.path()).into_keys() {
            if name == Path::new("out.json") {
                continue;
            }
            if !is_temporary(&name) {
                return Err(format!("left {}", name.display()));
            }
            words.push("left a temporary file");
        }
        match fs::read(self.out()) {
            Ok(bytes) if bytes == self.new => words.push("the new file is there, whole"),
            Ok(bytes) if bytes == self.old && had_old => words.push("the old file is there, whole"),
            Ok(bytes) => return Err(format!("a torn file of {} bytes", bytes.len())),
            Err(_) if !had_old => words.push("no file is there"),
            Err(error) => return Err(format!("the old file is gone: {error}")),
        }
        Ok(words)
    }

    fn reset(&self, with_old: bool) {
        for name in folder::contents(self.folder.path()).into_keys() {
            fs::remove_file(self.folder.path().join(name)).unwrap();
        }
        if with_old {
            fs::write(self.out(), &self.old).unwrap();
        }
    }

    fn temporary(&self) -> Option<PathBuf> {
        let names = fs::read_dir(self.folder.path()).unwrap();
        names.map(|entry| PathBuf::from(entry.unwrap().file_name())).find(|name| is_temporary(name))
    }

    /// A run that nobody kills makes the file, among all that was left behind.
    fn still_works(&self) -> Option<String> {
        fs::write(self.folder.path().join(".svc-0123456789abcdef.tmp"), "torn").unwrap();
        let run = self.svc().run();
        let whole = fs::read(self.out()).is_ok_and(|bytes| bytes == self.new);
        (run.code() != Some(0) || !whole).then(|| format!("{} does not run after a kill: {}", self.what, run.err()))
    }
}

/// `.svc-<16 hexadecimal digits>.tmp`, which no command and no pattern for JSON takes for an output.
fn is_temporary(name: &Path) -> bool {
    let name = name.to_str().unwrap();
    let middle = name.strip_prefix(".svc-").and_then(|rest| rest.strip_suffix(".tmp"));
    middle.is_some_and(|middle| middle.len() == 16 && middle.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// So many files that writing their table takes a while.
fn large_package() -> Package {
    let package = Package::new("minimal");
    for number in 0..3_000 {
        package.write(format!("data/{number:05}.txt"), number.to_string().as_bytes());
    }
    package.change_manifest(|manifest| manifest["files"].as_array_mut().unwrap().push(json!("data")));
    package
}

fn pack_target(package: &Package) -> Target {
    let arguments = |name: &str| -> Vec<PathBuf> {
        let owner = ["--owner-id", "acme", "--owner-name", name].map(PathBuf::from);
        [PathBuf::from("pack"), package.manifest()].into_iter().chain(owner).collect()
    };
    target(kind::SUBMISSION.file, &arguments("Old"), arguments("New"))
}

fn registry_target(package: &Package) -> Target {
    let submission = package.root().join("../submission.json");
    app(["pack"]).args([package.manifest()]).args(["--out"]).args([&submission]).run().exits(0);
    let arguments =
        |scope: &str| ["registry", "--scope", scope].map(PathBuf::from).into_iter().chain([submission.clone()]);
    target(kind::INDEX.file, &arguments("space:old").collect::<Vec<_>>(), arguments("space:new").collect())
}

fn target(what: &'static str, old: &[PathBuf], arguments: Vec<PathBuf>) -> Target {
    let printed = |arguments: &[PathBuf]| {
        let run = app(arguments).args(["--out", "-"]).run();
        run.exits(0);
        run.stdout
    };
    let (old, new) = (printed(old), printed(&arguments));
    assert!(old != new && new.len() > 400_000, "{what}: {} bytes", new.len());
    let mut target = Target { what, arguments, folder: folder::empty(), old, new, lasts: Duration::ZERO };
    let begun = Instant::now();
    target.svc().run().exits(0);
    target.lasts = begun.elapsed();
    target
}
