//! (c) Hashing a package: many small files and few large ones.

use std::{
    fs::{self, File},
    io::Read as _,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use anyhow::{Context as _, Result, ensure};
use sha2::{Digest as _, Sha256};
use svc_core::rules::example_package::ExamplePackage;

use crate::{
    mode::Mode,
    plot::Plot,
    programs::{Programs, peak, timed},
    report::{Bound, Line, Report, Table},
    statistics::{Sample, exponent},
};

/// A package on disk.
struct Tree {
    folder: tempfile::TempDir,
    files: Vec<PathBuf>,
}

impl Tree {
    /// The example's manifest over made-up data. Each file has other bytes.
    fn make(count: usize, bytes: usize) -> Result<Self> {
        Self::by_patterns(count, bytes, 0)
    }

    /// The same, with so many patterns more, each over some of the files.
    fn by_patterns(count: usize, bytes: usize, patterns: usize) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let root = folder.path();
        let more = (0..patterns).map(|number| format!(r#", "**/part-{number:03}/**/table-*.bin""#)).collect::<String>();
        let patch = format!(r#"{{"files": ["**"{more}]}}"#);
        let package = ExamplePackage::with_manifest(&patch).context("the example has no package")?;
        fs::write(root.join("svc-app.json"), package.manifest)?;
        let mut files = Vec::new();
        for (path, bytes) in package.files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap_or(root))?;
            fs::write(&path, bytes)?;
            files.push(path);
        }
        for number in 0..count {
            let folder = root.join(format!("data/part-{:03}/of/it", number % patterns.max(50)));
            fs::create_dir_all(&folder)?;
            let path = folder.join(format!("table-{number:05}.bin"));
            fs::write(&path, noise(number as u64, bytes))?;
            files.push(path);
        }
        fs::write(root.join("package.json"), r#"{"name": "tree", "version": "1.0.0", "files": ["data"]}"#)?;
        Ok(Self { folder, files })
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn pack(&self, programs: &Programs, out: &Path) -> Command {
        let manifest = self.path().join("svc-app.json").display().to_string();
        let out = out.display().to_string();
        let owner = ["--owner-id", "acme", "--owner-name", "Acme Ltd", "--visibility", "private"];
        let mut command = programs.svc(&["app", "pack", &manifest, "--out", &out]);
        command.args(owner);
        command
    }

    fn hashed_by(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).args(&self.files);
        command
    }
}

/// Bytes without a pattern.
fn noise(seed: u64, bytes: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    (0..bytes.div_ceil(8)).flat_map(|_| next()).take(bytes).collect()
}

pub fn measure(mode: &Mode, programs: &Programs, report: &mut Report) -> Result<()> {
    let small = Tree::make(9_900, 4 * 1024)?;
    let large = Tree::make(39, 5 * 512 * 1024)?;
    let mut table = Table {
        title: "(c) Packing".to_owned(),
        unit: "ms",
        about: "The whole command `svc app pack`: walk, read, hash, search for secrets, rules, submission. The others hash \
                only, but for `npm pack`.",
        lines: Vec::new(),
    };
    for (name, tree) in [("9,900 × 4 KiB", &small), ("39 × 2.5 MiB", &large)] {
        compare(mode, programs, report, &mut table, (name, tree))?;
    }
    let npm = npm_pack(mode, programs, &small)?;
    report.goal("P4", "`npm pack --dry-run` over svc, 9,900 × 4 KiB", Bound::AtLeast(100.0), npm.1.over(&npm.0));
    table.lines.push(Line { name: "9,900 × 4 KiB, npm pack --dry-run".to_owned(), sample: milliseconds(&npm.1) });
    report.tables.push(table);
    growth(mode, programs, report)?;
    memory(mode, programs, report, &[("9,900 × 4 KiB", &small), ("39 × 2.5 MiB", &large)])
}

fn compare(
    mode: &Mode,
    programs: &Programs,
    report: &mut Report,
    table: &mut Table,
    (name, tree): (&str, &Tree),
) -> Result<()> {
    let out = tree.path().join("../svc-bench-submission.json");
    let names = [
        "svc app pack",
        "openssl dgst, one after the other",
        "sha256sum, one after the other",
        "sha256sum by xargs -P 2",
        "two bare threads with sha2",
    ];
    let mut samples = names.map(|_| Sample::default());
    for _ in 0..mode.rounds {
        let seconds = [
            timed(tree.pack(programs, &out))?,
            timed(tree.hashed_by("openssl", &["dgst", "-sha256"]))?,
            timed(tree.hashed_by("sha256sum", &[]))?,
            timed(xargs(tree))?,
            two_threads(&tree.files)?,
        ];
        for (sample, value) in samples.iter_mut().zip(seconds) {
            sample.push(value);
        }
    }
    let _ = fs::remove_file(&out);
    let [ours, openssl, _, _, bare] = &samples;
    let large = name.starts_with("39");
    report.goal(
        "P4",
        format!("openssl dgst over svc, {name}"),
        Bound::AtLeast(if large { 1.8 } else { 1.5 }),
        openssl.over(ours),
    );
    if large {
        let what = format!("two bare threads over svc, {name}");
        report.goal("P4", what, Bound::AtLeast(0.85), bare.over(ours));
    }
    for (who, sample) in names.iter().zip(&samples) {
        table.lines.push(Line { name: format!("{name}, {who}"), sample: milliseconds(sample) });
    }
    Ok(())
}

fn milliseconds(seconds: &Sample) -> Sample {
    Sample(seconds.0.iter().map(|seconds| seconds * 1e3).collect())
}

fn xargs(tree: &Tree) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", "find \"$0\" -type f -print0 | xargs -0 -n 64 -P 2 sha256sum"]).arg(tree.path());
    command
}

/// What two cores can do: nothing but reading and hashing.
fn two_threads(files: &[PathBuf]) -> Result<f64> {
    let start = Instant::now();
    std::thread::scope(|scope| {
        let halves = [0, 1].map(|half| {
            scope.spawn(move || files.iter().skip(half).step_by(2).map(|path| hash(path)).collect::<Result<Vec<_>>>())
        });
        halves.into_iter().try_for_each(|half| half.join().expect("a thread").map(drop))
    })?;
    Ok(start.elapsed().as_secs_f64())
}

fn hash(path: &Path) -> Result<[u8; 32]> {
    let (mut file, mut hasher, mut buffer) = (File::open(path)?, Sha256::new(), vec![0; 64 * 1024]);
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(hasher.finalize().into());
        }
        hasher.update(&buffer[..read]);
    }
}

/// Seconds of svc and of npm. npm is slow, so that fewer rounds must do.
fn npm_pack(mode: &Mode, programs: &Programs, tree: &Tree) -> Result<(Sample, Sample)> {
    let out = tree.path().join("../svc-bench-npm.json");
    let (mut ours, mut theirs) = (Sample::default(), Sample::default());
    for _ in 0..mode.rounds.min(3) {
        ours.push(timed(tree.pack(programs, &out))?);
        let mut npm = Command::new("npm");
        npm.args(["pack", "--dry-run", "--silent"]).current_dir(tree.path());
        theirs.push(timed(npm)?);
    }
    let _ = fs::remove_file(&out);
    Ok((ours, theirs))
}

fn growth(mode: &Mode, programs: &Programs, report: &mut Report) -> Result<()> {
    let files = [10, 100, 1_000, 9_900].map(|count| (count * 4_096, Tree::make(count, 4_096)));
    let bytes = [25_000, 250_000, 2_500_000, 25_000_000].map(|bytes| (bytes, Tree::make(1, bytes)));
    let patterns = [5, 50, 500].map(|patterns| (patterns, Tree::by_patterns(1_000, 10, patterns)));
    let mut lines = Vec::new();
    for (name, trees) in [
        ("pack by number of files", Vec::from(files)),
        ("pack by bytes of one file", Vec::from(bytes)),
        ("pack by number of patterns", Vec::from(patterns)),
    ] {
        let trees: Vec<(f64, Tree)> =
            trees.into_iter().map(|(size, tree)| Ok((size as f64, tree?))).collect::<Result<_>>()?;
        let mut exponents = Sample::default();
        let mut samples = vec![Sample::default(); trees.len()];
        for _ in 0..mode.rounds {
            let mut points = Vec::new();
            for ((size, tree), sample) in trees.iter().zip(&mut samples) {
                let out = tree.path().join("../svc-bench-growth.json");
                let took = timed(tree.pack(programs, &out))?;
                sample.push(took);
                points.push((*size, took));
                let _ = fs::remove_file(&out);
            }
            exponents.push(exponent(&points));
        }
        report.goal("P6", format!("exponent of {name}"), Bound::AtMost(1.05), exponents);
        let points = trees.iter().zip(&samples).map(|((size, _), sample)| (*size, sample.median() * 1e3));
        lines.push((name.to_owned(), points.collect()));
    }
    let (across, up) = ("bytes of the package, or patterns", "ms");
    report.plots.push(Plot { name: "pack", title: "Time of svc app pack by size", across, up, lines });
    Ok(())
}

fn memory(mode: &Mode, programs: &Programs, report: &mut Report, trees: &[(&str, &Tree)]) -> Result<()> {
    for (name, tree) in trees {
        let out = tree.path().join("../svc-bench-peak.json");
        let mut sample = Sample::default();
        for _ in 0..mode.rounds {
            sample.push(peak(programs, &tree.pack(programs, &out))? / 1024.0);
        }
        ensure!(out.exists(), "nothing was packed");
        fs::remove_file(&out)?;
        report.goal("P7", format!("MiB that pack takes at most, {name}"), Bound::AtMost(64.0), sample);
    }
    Ok(())
}
