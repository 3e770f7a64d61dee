//! What others read: the action, the workflow and the hook, held to the schemas and the checks of other projects, and run.

use anyhow::Result;

use super::{npm::Package, place::text};
use svc_gates::{
    process::{command, run},
    tools,
};

/// pre-commit runs the hook, the schemas of GitHub's files come with check-jsonschema, zizmor looks for scripts that a value
/// could become part of, and PyYAML reads what is run.
const PACKAGES: &[&str] = &["PyYAML==6.0.3", "check-jsonschema==0.39.0", "pre-commit==4.7.0", "zizmor==1.32.0"];

const ACTION: &str = "packaging/github-action/action.yml";

const WORKFLOW: &str = "examples/ci/github-workflow.yml";

pub(super) fn try_action_and_hook(package: &Package) -> Result<()> {
    let tools = tools::python("getting", PACKAGES)?;
    let tool = |name: &str| text(&tools.join(name));
    for (schema, file) in [("vendor.github-actions", ACTION), ("vendor.github-workflows", WORKFLOW)] {
        run(command(&tool("check-jsonschema"), &["--builtin-schema", schema, file]))?;
    }
    run(command(
        &tool("zizmor"),
        &["--quiet", "--offline", "--persona=pedantic", "--min-severity=medium", ACTION, WORKFLOW],
    ))?;
    for test in ["tests/getting/action.py", "tests/getting/hook.py"] {
        let mut python = command(&tool("python"), &[test]);
        python.env("SVC_TARBALL", &package.tarball).env("SVC_BINARY", &package.program);
        run(python)?;
    }
    Ok(())
}
