//! The tools of the gate, each of one version, in the folder of built things.

use std::{fs, path::PathBuf};

use anyhow::{Context as _, Result};

use crate::{
    process::{command, run, target},
    sdk::expect_node,
};

/// What all of them look at.
pub(super) const DESCRIPTION: &str = "contracts/openapi.json";

const PYTHON: &[&str] = &["openapi-spec-validator==0.9.0", "schemathesis==4.32.5"];

/// Apart from the others, whose dependencies are not theirs.
const GENERATORS: &[&str] =
    &["datamodel-code-generator==0.89.0", "httpx==0.28.1", "openapi-python-client==0.29.1", "pydantic==2.14.3"];

const NODE: &[&str] = &[
    "@redocly/cli@2.73.0",
    "@stoplight/spectral-cli@6.16.3",
    "@types/node@20.19.25",
    "openapi-fetch@0.17.0",
    "openapi-typescript@7.13.0",
    "typescript@5.9.3",
];

/// Where the tools are.
pub(super) struct Tools {
    folder: PathBuf,
}

impl Tools {
    /// Puts in what is missing or of another version.
    pub(super) fn provide() -> Result<Self> {
        let tools = Self { folder: target().join("tools") };
        tools.install("python", PYTHON, install_python)?;
        tools.install("generators", GENERATORS, install_python)?;
        expect_node()?;
        tools.install("node", NODE, install_node)?;
        Ok(tools)
    }

    pub(super) fn folder(&self) -> &PathBuf {
        &self.folder
    }

    /// A program of the Python tools.
    pub(super) fn python(&self, name: &str) -> String {
        self.folder.join("python/bin").join(name).to_string_lossy().into_owned()
    }

    /// A program of the npm packages.
    pub(super) fn node(&self, name: &str) -> String {
        self.folder.join("node/node_modules/.bin").join(name).to_string_lossy().into_owned()
    }

    /// The packages that generated code needs.
    pub(super) fn node_modules(&self) -> PathBuf {
        self.folder.join("node/node_modules")
    }

    /// The folders of the generators, and of the Python that their code runs in.
    pub(super) fn generators(&self) -> [PathBuf; 2] {
        [self.folder.join("generators/bin"), self.folder.join("node/node_modules/.bin")]
    }

    fn install(&self, name: &str, packages: &[&str], put: fn(&str, &[&str]) -> Result<()>) -> Result<()> {
        let folder = self.folder.join(name);
        let (stamp, wanted) = (folder.join("packages.txt"), packages.join("\n"));
        if fs::read_to_string(&stamp).is_ok_and(|there| there == wanted) {
            return Ok(());
        }
        fs::create_dir_all(&folder)?;
        put(&folder.to_string_lossy(), packages)?;
        fs::write(&stamp, wanted)?;
        Ok(())
    }
}

fn install_python(folder: &str, packages: &[&str]) -> Result<()> {
    run(command("python3", &["-m", "venv", "--clear", folder])).context("Python 3.11 or newer with venv is needed")?;
    let pip = format!("{folder}/bin/pip");
    run(command(&pip, &[&["install", "--quiet", "--disable-pip-version-check"], packages].concat()))
}

/// Nothing that a package brings along is run while it is put in.
fn install_node(folder: &str, packages: &[&str]) -> Result<()> {
    let arguments = ["install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", "--silent"];
    run(command("npm", &[&arguments[..], packages].concat()))
}
