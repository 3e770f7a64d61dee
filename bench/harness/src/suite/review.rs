//! (h) The review of real code: beside a bare parse of the same files, and beside a linter of browser packages.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use anyhow::{Context as _, Result, ensure};
use oxc_allocator::Allocator;
use oxc_parser::Parser;
use oxc_span::SourceType;
use svc_core::rules::example_package::ExamplePackage;
use svc_facts::{STACK_BYTES, language::Language, of_code};

use crate::{
    mode::Mode,
    programs::{Programs, timed},
    report::{Bound, Line, Report, Table},
    statistics::Sample,
};

/// Where the code is from, below the packages of the reference.
const SOURCES: &[&str] = &["three", "mermaid"];

/// As much code as the goal speaks of.
const BYTES: usize = 30_000_000;

pub fn measure(mode: &Mode, programs: &Programs, report: &mut Report) -> Result<()> {
    let modules = programs.root.join("bench/reference/node_modules");
    let mut scripts = Vec::new();
    for source in SOURCES {
        collect(&modules.join(source), &mut scripts)
            .with_context(|| format!("{source}: run `npm ci` in bench/reference"))?;
    }
    let scripts = first_bytes(scripts);
    let megabytes = scripts.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() as f64 / 1e6;
    let (mut bare, mut facts, mut whole) = (Sample::default(), Sample::default(), Sample::default());
    let package = Package::of(&scripts)?;
    for _ in 0..mode.rounds {
        bare.push(on_reader_stack(|| scripts.iter().for_each(|(_, bytes)| parse(bytes)))?);
        facts.push(on_reader_stack(|| scripts.iter().for_each(|(path, bytes)| read(path, bytes)))?);
        whole.push(timed(package.validate(programs))?);
    }
    report.goal(
        "P11",
        format!("facts over a bare parse, {megabytes:.0} MB of script"),
        Bound::AtMost(3.0),
        facts.over(&bare),
    );
    let per_30 = Sample(whole.0.iter().map(|seconds| seconds * 30.0 / megabytes).collect());
    report.goal("P11", "seconds for the whole command, 30 MB of script", Bound::AtMost(2.0), per_30);
    let (ours, linter) = beside_linter(mode, programs, &modules)?;
    report.goal("P11", "addons-linter over svc, the build of three", Bound::AtLeast(10.0), linter.over(&ours));
    let line = |name: &str, sample: &Sample| Line {
        name: name.to_owned(),
        sample: Sample(sample.0.iter().map(|seconds| seconds * 1e3).collect()),
    };
    report.tables.push(Table {
        title: "(h) Review".to_owned(),
        unit: "ms",
        about: "Scripts of two packages, one after the other in this process, and by the whole command `svc app validate` on \
                all cores; then the build of one of them by svc and by addons-linter.",
        lines: vec![
            line("bare parse", &bare),
            line("facts", &facts),
            line("svc app validate", &whole),
            line("svc app validate, one build", &ours),
            line("addons-linter, one build", &linter),
        ],
    });
    Ok(())
}

fn collect(folder: &Path, scripts: &mut Vec<(PathBuf, Vec<u8>)>) -> Result<()> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    entries.sort();
    for path in entries {
        let is_script = path.extension().is_some_and(|extension| extension == "js" || extension == "mjs");
        if path.is_dir() {
            collect(&path, scripts)?;
        } else if is_script {
            let bytes = fs::read(&path)?;
            scripts.push((path, bytes));
        }
    }
    Ok(())
}

fn first_bytes(scripts: Vec<(PathBuf, Vec<u8>)>) -> Vec<(PathBuf, Vec<u8>)> {
    let mut total = 0;
    let fits = |(_, bytes): &(PathBuf, Vec<u8>)| {
        total += bytes.len();
        total <= BYTES
    };
    scripts.into_iter().take_while(fits).collect()
}

/// Seconds for some work, on a stack as the readers of svc have it.
fn on_reader_stack(work: impl FnOnce() + Send) -> Result<f64> {
    let start = Instant::now();
    std::thread::scope(|scope| {
        let reader = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work)?;
        ensure!(reader.join().is_ok(), "the reader broke");
        Ok(())
    })?;
    Ok(start.elapsed().as_secs_f64())
}

fn parse(bytes: &[u8]) {
    let allocator = Allocator::default();
    let text = String::from_utf8_lossy(bytes);
    std::hint::black_box(Parser::new(&allocator, &text, SourceType::mjs()).parse().program.body.len());
}

fn read(path: &Path, bytes: &[u8]) {
    if let Some(language) = Language::of(&path.to_string_lossy(), bytes) {
        std::hint::black_box(of_code(language, bytes));
    }
}

/// A package on disk, for svc and as an add-on.
struct Package {
    folder: tempfile::TempDir,
}

impl Package {
    fn of(scripts: &[(PathBuf, Vec<u8>)]) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let root = folder.path();
        let package = ExamplePackage::with_manifest("{}").context("the example has no package")?;
        fs::write(root.join("svc-app.json"), package.manifest)?;
        for (path, bytes) in package.files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap_or(root))?;
            fs::write(&path, bytes)?;
        }
        fs::create_dir_all(root.join("vendor"))?;
        for (number, (path, bytes)) in scripts.iter().enumerate() {
            let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("js");
            fs::write(root.join(format!("vendor/{number:05}.{extension}")), bytes)?;
        }
        let addon = r#"{"manifest_version": 3, "name": "board", "version": "1.0", "action": {"default_popup": "index.html"},
            "browser_specific_settings": {"gecko": {"id": "board@acme.dev", "data_collection_permissions": {"required": ["none"]}}}}"#;
        fs::write(root.join("manifest.json"), addon)?;
        Ok(Self { folder })
    }

    fn validate(&self, programs: &Programs) -> Command {
        let manifest = self.folder.path().join("svc-app.json").display().to_string();
        programs.svc(&["app", "validate", "--quiet", &manifest])
    }
}

/// Seconds of svc and of the linter over one build. The linter is slow, so that fewer rounds must do.
fn beside_linter(mode: &Mode, programs: &Programs, modules: &Path) -> Result<(Sample, Sample)> {
    let mut build = Vec::new();
    collect(&modules.join("three/build"), &mut build)?;
    let package = Package::of(&build)?;
    let (mut ours, mut theirs) = (Sample::default(), Sample::default());
    for _ in 0..mode.rounds.min(3) {
        ours.push(timed(package.validate(programs))?);
        // The linter ends with what it found, which is no failure here.
        let mut linter = Command::new("sh");
        linter.args(["-c", "node \"$0\" --output json \"$1\" > /dev/null || true"]);
        linter.arg(modules.join("addons-linter/bin/addons-linter")).arg(package.folder.path());
        theirs.push(timed(linter)?);
    }
    Ok((ours, theirs))
}
