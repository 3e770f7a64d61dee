//! Programs and libraries from PyPI and npm, pinned, put below `target/tools` the first time they are needed.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, ensure};

use crate::process::{command, root, run, said, target};

const OLDEST_NODE: u32 = 20;

/// The folder of the programs of a Python that has these packages.
pub fn python(name: &str, packages: &[&str]) -> Result<PathBuf> {
    let folder = target().join("tools").join(name);
    once(&folder, packages, || {
        run(command("python3", &["-m", "venv", "--clear", &folder.to_string_lossy()]))?;
        let pip = folder.join("bin/pip").to_string_lossy().into_owned();
        run(command(&pip, &[&["install", "--quiet", "--disable-pip-version-check"], packages].concat()))
    })?;
    Ok(folder.join("bin"))
}

/// The folder `node_modules` with these packages. Nothing that they bring along is run while they are put in.
pub fn node_modules(name: &str, packages: &[&str]) -> Result<PathBuf> {
    expect_node()?;
    let folder = target().join("tools").join(name);
    once(&folder, packages, || {
        fs::create_dir_all(&folder)?;
        let mut npm =
            command("npm", &["install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", "--prefix"]);
        npm.arg(&folder).args(packages);
        run(npm)
    })?;
    Ok(folder.join("node_modules"))
}

fn once(folder: &Path, packages: &[&str], put_in: impl FnOnce() -> Result<()>) -> Result<()> {
    let (stamp, wanted) = (folder.join("packages.txt"), packages.join("\n"));
    if !fs::read_to_string(&stamp).is_ok_and(|there| there == wanted) {
        put_in()?;
        fs::write(&stamp, wanted)?;
    }
    Ok(())
}

/// Puts the SDK's own tools in and builds it; then `npm` there, with these arguments.
pub fn sdk(arguments: &[&str]) -> Result<std::process::Command> {
    expect_node()?;
    let npm = |arguments: &[&str]| {
        let mut npm = command("npm", arguments);
        npm.current_dir(root().join("sdk/typescript"));
        npm
    };
    run(npm(&["ci"]))?;
    run(npm(&["run", "--silent", "build"]))?;
    Ok(npm(arguments))
}

/// A Node that is new enough.
pub fn expect_node() -> Result<()> {
    let version = said(&mut command("node", &["--version"])).context("Node 20 or later is needed, and is not here")?;
    let major = version.trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    ensure!(major.is_some_and(|major| major >= OLDEST_NODE), "Node 20 or later is needed, and this is {version}");
    Ok(())
}
