//! Clients on generated code: the commands of the API guide make it, `tests/clients` uses it.
//!
//! It must read what a running registry answers, and nothing that says yes: in TypeScript the compiler refuses to handle
//! one, in Python reading one raises.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, ensure};

use super::tools::{DESCRIPTION, Tools};
use svc_gates::{
    process::{command, root, run, target},
    programs::Programs,
    service::Service,
};

const GUIDE: &str = "docs/guides/api.md";
const SECTION: &str = "\n## Generate a client\n";
const PROGRAMS: &[&str] = &["client.py", "client.ts", "opens.ts"];

const TSCONFIG: &str = r#"{
  "compilerOptions": {
    "strict": true, "exactOptionalPropertyTypes": true, "noUncheckedIndexedAccess": true, "skipLibCheck": false,
    "module": "nodenext", "target": "es2022", "types": ["node"], "pretty": false
  },
  "files": ["client.ts"]
}"#;

/// Generates, compiles and asks.
pub(super) fn check(tools: &Tools, programs: &Programs) -> Result<()> {
    let folder = target().join("xtask/clients");
    prepare(&folder, tools)?;
    for line in documented_commands()? {
        run(generator(&line, &folder, tools)).with_context(|| format!("{GUIDE}: `{line}`"))?;
    }
    run(in_folder(&folder, &tools.node("tsc"), &["--project", "tsconfig.json"]))?;
    refuses_a_yes(&folder, tools)?;
    use_them(&folder, tools, programs)
}

/// A fresh folder with the description, the programs and what TypeScript needs to find packages.
fn prepare(folder: &Path, tools: &Tools) -> Result<()> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder)?;
    fs::copy(root().join(DESCRIPTION), folder.join("openapi.json"))?;
    for name in PROGRAMS {
        fs::copy(root().join("tests/clients").join(name), folder.join(name))?;
    }
    fs::write(folder.join("tsconfig.json"), TSCONFIG)?;
    fs::write(folder.join("package.json"), r#"{"type": "module"}"#)?;
    std::os::unix::fs::symlink(tools.node_modules().canonicalize()?, folder.join("node_modules"))?;
    Ok(())
}

/// The commands of the guide's section that generate; how the description is fetched is left out.
fn documented_commands() -> Result<Vec<String>> {
    let guide = fs::read_to_string(root().join(GUIDE))?;
    let section = guide.split(SECTION).nth(1).and_then(|rest| rest.split("\n## ").next());
    let blocks = section.context("the guide has no such section")?.split("```sh\n").skip(1);
    let lines = blocks.filter_map(|block| block.split("```").next()).flat_map(str::lines);
    let commands: Vec<String> = lines.filter(|line| !line.starts_with("curl ")).map(str::to_owned).collect();
    ensure!(commands.len() == 3, "three generators are documented, and these are: {commands:?}");
    Ok(commands)
}

fn generator(line: &str, folder: &Path, tools: &Tools) -> Command {
    let mut generator = in_folder(folder, "sh", &["-c", line]);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = tools.generators().into_iter().chain(std::env::split_paths(&path));
    generator.env("PATH", std::env::join_paths(folders).unwrap_or(path));
    generator
}

/// Every line of `opens.ts` that names an error fails with it, and no other line fails.
fn refuses_a_yes(folder: &Path, tools: &Tools) -> Result<()> {
    let text = fs::read_to_string(folder.join("opens.ts"))?;
    let expected: BTreeSet<String> = text
        .lines()
        .zip(1..)
        .filter_map(|(line, number)| Some(format!("{number}: {}", line.rsplit_once(" // TS").map(|(_, code)| code)?)))
        .collect();
    fs::write(folder.join("tsconfig.opens.json"), TSCONFIG.replace("client.ts", "opens.ts"))?;
    let mut compiler = in_folder(folder, &tools.node("tsc"), &["--noEmit", "--project", "tsconfig.opens.json"]);
    let output = compiler.output()?;
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    let found: BTreeSet<String> = report.lines().filter_map(place_and_code).collect();
    ensure!(!output.status.success() && !expected.is_empty(), "code that handles a yes compiles");
    ensure!(found == expected, "handling a yes fails otherwise than expected: {expected:?}\n{report}");
    Ok(())
}

/// `opens.ts(12,7): error TS2322: …` as `12: 2322`.
fn place_and_code(line: &str) -> Option<String> {
    let (place, rest) = line.split_once("): error TS")?;
    let (_, place) = place.split_once('(')?;
    Some(format!("{}: {}", place.split(',').next()?, rest.split(':').next()?))
}

/// Asks a registry that keeps its journal, so that answers come with receipts.
fn use_them(folder: &Path, tools: &Tools, programs: &Programs) -> Result<()> {
    let bundle = folder.join("bundle");
    let owner = ["--owner-id", "acme", "--owner-name", "Acme Ltd", "--visibility", "unlisted"];
    let mut preflight =
        command(&programs.svc.to_string_lossy(), &["app", "preflight", "examples/weather-board", "--quiet"]);
    preflight.args(owner).arg("--out-dir").arg(&bundle);
    run(preflight)?;
    let data = folder.join("data");
    let service = Service::start(&programs.registry, &["--data-dir", &data.to_string_lossy()])?;
    let asked = [service.url.as_str(), &bundle.to_string_lossy()];
    let [python, _]: [PathBuf; 2] = tools.generators();
    let python = python.join("python").to_string_lossy().into_owned();
    run(in_folder(folder, &python, &[&["-W", "error::SyntaxWarning", "client.py"], &asked[..]].concat()))?;
    run(in_folder(folder, "node", &[&["client.js"], &asked[..]].concat()))
}

fn in_folder(folder: &Path, program: &str, arguments: &[&str]) -> Command {
    let mut command = command(program, arguments);
    command.current_dir(folder);
    command
}
