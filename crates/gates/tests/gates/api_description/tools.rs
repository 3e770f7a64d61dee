//! The tools of the gate, each of one version.

use std::path::PathBuf;

use anyhow::Result;
use svc_gates::tools;

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
    python: PathBuf,
    generators: PathBuf,
    node: PathBuf,
}

impl Tools {
    /// Puts in what is missing or of another version.
    pub(super) fn provide() -> Result<Self> {
        let node = tools::node_modules("node", NODE)?;
        Ok(Self {
            python: tools::python("python", PYTHON)?,
            generators: tools::python("generators", GENERATORS)?,
            node,
        })
    }

    /// A program of the Python tools.
    pub(super) fn python(&self, name: &str) -> String {
        self.python.join(name).to_string_lossy().into_owned()
    }

    /// A program of the npm packages.
    pub(super) fn node(&self, name: &str) -> String {
        self.node.join(".bin").join(name).to_string_lossy().into_owned()
    }

    /// The packages that generated code needs.
    pub(super) fn node_modules(&self) -> PathBuf {
        self.node.clone()
    }

    /// The folders of the generators, and of the Python that their code runs in.
    pub(super) fn generators(&self) -> [PathBuf; 2] {
        [self.generators.clone(), self.node.join(".bin")]
    }
}
