//! What an author writes into a draft, as a unified diff: Git applies it exactly where it says, or not at all.

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Result, ensure};

/// Files of svc in a project. Everything else that is there was shipped, and stays as it is.
const OURS: &[&str] = &[".svcignore", "svc-app.json"];

/// Applies all of it to the folder, and tells how many lines the author wrote.
pub(super) fn apply(folder: &Path, diff: &str) -> Result<usize> {
    for edited in diff.lines().filter_map(|line| line.strip_prefix("--- a/")) {
        ensure!(OURS.contains(&edited), "{edited} was shipped, and is not the author's to edit here");
    }
    let above = fs::canonicalize(folder.join(".."))?;
    let mut git = Command::new("git");
    // Git looks for no repository around the folder.
    git.args(["apply", "--whitespace=nowarn", "-"]).current_dir(folder).env("GIT_CEILING_DIRECTORIES", above);
    let mut git = git.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    // It may end before it has read everything; why is what it says.
    let _ = git.stdin.take().map(|mut stdin| stdin.write_all(diff.as_bytes()));
    let ended = git.wait_with_output()?;
    ensure!(ended.status.success(), "the edits do not fit:\n{}", String::from_utf8_lossy(&ended.stderr));
    Ok(diff.lines().filter(|line| line.starts_with('+') && !line.starts_with("+++ ")).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAFT: &str = "{\n  \"a\": 1,\n  \"b\": [],\n  \"c\": 3\n}\n";
    const GOOD: &str = "--- a/svc-app.json\n+++ b/svc-app.json\n@@ -2,3 +2,3 @@\n   \"a\": 1,\n-  \"b\": [],\n+  \"b\": [1],\n   \"c\": 3\n";
    const PAGE: &str = "--- /dev/null\n+++ b/demo/page.html\n@@ -0,0 +1,2 @@\n+one\n+two\n";

    fn project() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("svc-app.json"), DRAFT).unwrap();
        fs::write(folder.path().join("app.js"), "one\n").unwrap();
        folder
    }

    #[test]
    fn a_diff_that_does_not_fit_changes_nothing() {
        let shipped = "--- a/app.js\n+++ b/app.js\n@@ -1,1 +1,1 @@\n-one\n+two\n";
        let cases = [
            GOOD.replace("\"b\": [],", "\"b\": [2],"),
            GOOD.replace("svc-app.json", "../svc-app.json"),
            format!("{GOOD}{shipped}"),
            PAGE.replace("demo/page.html", "app.js"),
            String::new(),
        ];
        for diff in cases {
            let folder = project();
            apply(folder.path(), &diff).unwrap_err();
            assert_eq!(fs::read_to_string(folder.path().join("svc-app.json")).unwrap(), DRAFT);
            assert_eq!(fs::read_to_string(folder.path().join("app.js")).unwrap(), "one\n");
        }
    }

    #[test]
    fn a_diff_that_fits_is_applied_and_its_lines_are_counted() {
        let folder = project();
        assert_eq!(apply(folder.path(), &format!("{GOOD}{PAGE}")).unwrap(), 3);
        let text = fs::read_to_string(folder.path().join("svc-app.json")).unwrap();
        assert_eq!(text, DRAFT.replace("[]", "[1]"));
        assert_eq!(fs::read_to_string(folder.path().join("demo/page.html")).unwrap(), "one\ntwo\n");
    }
}
