//! The gate `projects`: `svc init` in real projects, to a draft that lacks only what its author knows, and with the author's
//! edits on to a bundle.

mod archive;
mod author;
mod edits;
mod page;
mod project;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Output,
};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use self::{
    author::{ONLY_THE_AUTHOR_KNOWS, errors_left, of_severity},
    page::Row,
    project::Project,
};
use svc_gates::{
    process::{command, root, target},
    programs::Programs,
};

const PAGE: &str = "docs/real-projects.md";

/// Projects that others published, at least.
const LEAST_PUBLISHED: usize = 20;

/// Projects of ours with the manifest of a browser or a server, at least.
const LEAST_OWN: usize = 6;

/// Runs every project and compares the page, or writes it.
pub(crate) fn check() -> Result<()> {
    let text = run_all()?;
    if std::env::var_os("SVC_RECORD").is_some() {
        return Ok(fs::write(root().join(PAGE), text)?);
    }
    let committed = fs::read_to_string(root().join(PAGE)).unwrap_or_default();
    ensure!(committed == text, "{PAGE} is stale; `cargo xtask projects` writes it");
    Ok(())
}

fn run_all() -> Result<String> {
    let projects = Project::all()?;
    let published: Vec<_> = projects.iter().filter_map(|project| project.npm.as_ref()).collect();
    let (there, own) = (published.len(), projects.len() - published.len());
    ensure!(there >= LEAST_PUBLISHED && own >= LEAST_OWN, "only {there} packages and {own} projects of our own");
    let svc = Programs::build()?.svc;
    let folder = target().join("xtask/projects");
    let archives = folder.join("archives");
    archive::fetch(&archives, &published)?;
    let mut rows = Vec::new();
    for project in &projects {
        let place = folder.join("work").join(&project.name);
        let work = place.join(&project.name);
        let bench = Bench { svc: &svc, archives: &archives, place, work };
        rows.push(bench.run(project).with_context(|| format!("project {}", project.name))?);
    }
    let left: BTreeSet<String> =
        rows.iter().flat_map(|row| row.errors.iter().map(|code| format!("SVC-{code}"))).collect();
    for (code, _) in ONLY_THE_AUTHOR_KNOWS {
        ensure!(left.contains(*code), "{code} is left in no draft, and need not be allowed");
    }
    Ok(page::page(&rows))
}

/// Where one project is worked on.
struct Bench<'b> {
    svc: &'b Path,
    archives: &'b Path,
    /// What is emptied before.
    place: PathBuf,
    /// The project in it, by its own name: a draft may be named after its folder.
    work: PathBuf,
}

impl Bench<'_> {
    fn run(&self, project: &Project) -> Result<Row> {
        let _ = fs::remove_dir_all(&self.place);
        let work = &self.work;
        fs::create_dir_all(work)?;
        self.lay_out(project)?;
        let files = count(work)?;
        let told = self.says(&["init"], 0)?;
        let errors = errors_left(&self.report()?, &told)?;
        let lines = edits::apply(work, &project.edits)?;
        copy_pictures(&project.adds, work)?;
        let manifest = fs::read_to_string(work.join("svc-app.json"))?;
        ensure!(!manifest.contains("\"TODO"), "a mark of what is to be written is still there");
        let report = self.report()?;
        let mut preflight = vec!["app", "preflight", ".", "--out-dir", "../bundle"];
        let first = self.says(&preflight, 0)?;
        ensure!(first.matches("created ").count() == 7, "not seven files were created:\n{first}");
        self.says(&["app", "verify", "../bundle", "--package", "."], 0)?;
        let second = self.says(&preflight, 0)?;
        ensure!(second.matches("unchanged ").count() == 7, "a second preflight changes something:\n{second}");
        preflight.push("--check");
        self.says(&preflight, 0)?;
        Ok(Row {
            title: project.title(),
            kind: project.kind.clone(),
            is_published: project.npm.is_some(),
            files,
            errors,
            lines,
            warnings: of_severity(&report, "warning")?.len(),
            blockers: of_severity(&report, "blocker")?.len(),
        })
    }

    /// The files as their author has them before svc comes.
    fn lay_out(&self, project: &Project) -> Result<()> {
        match &project.npm {
            Some(package) => {
                archive::read_checked(self.archives, package)?;
                archive::unpack(&self.archives.join(package.archive()), &self.work)?;
            }
            None => project.write_files(&self.work)?,
        }
        copy_pictures(&project.pictures, &self.work)
    }

    /// What a check of the folder finds, whatever it is.
    fn report(&self) -> Result<Value> {
        let output = self.output(&["check", "--format", "json"])?;
        serde_json::from_slice(&output.stdout)
            .with_context(|| format!("no report: {}", String::from_utf8_lossy(&output.stderr)))
    }

    /// What a command prints that must end with this code.
    fn says(&self, arguments: &[&str], code: i32) -> Result<String> {
        let output = self.output(arguments)?;
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        if output.status.code() != Some(code) {
            let errors = String::from_utf8_lossy(&output.stderr);
            bail!("`svc {}` ended with {}, not {code}:\n{told}{errors}", arguments.join(" "), output.status);
        }
        Ok(told)
    }

    fn output(&self, arguments: &[&str]) -> Result<Output> {
        let svc = self.svc.canonicalize()?;
        let mut svc = command(svc.to_str().context("a path in UTF-8")?, arguments);
        Ok(svc.current_dir(&self.work).env("NO_COLOR", "1").output()?)
    }
}

fn copy_pictures(pictures: &BTreeMap<String, String>, folder: &Path) -> Result<()> {
    for (to, from) in pictures {
        let target = folder.join(to);
        ensure!(!target.exists(), "{to} is there already");
        fs::create_dir_all(target.parent().context("a file lies in a folder")?)?;
        fs::copy(root().join(from), target).with_context(|| format!("copying {from}"))?;
    }
    Ok(())
}

fn count(folder: &Path) -> Result<usize> {
    let mut files = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        files += if entry.file_type()?.is_dir() { count(&entry.path())? } else { 1 };
    }
    Ok(files)
}
