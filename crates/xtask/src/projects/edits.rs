//! What an author writes into a draft, as a unified diff: applied exactly where it says, or not at all.

use std::{fs, iter::Peekable, path::Path, str::Lines};

use anyhow::{Context as _, Result, bail, ensure};

/// Files of svc in a project. Everything else that is there was shipped, and stays as it is.
const OURS: &[&str] = &[".svcignore", "svc-app.json"];

/// Applies all of it to the folder, and tells how many lines the author wrote.
pub(super) fn apply(folder: &Path, diff: &str) -> Result<usize> {
    let mut lines = diff.lines().peekable();
    let (mut files, mut written) = (Vec::new(), 0);
    while lines.peek().is_some() {
        let (path, is_new) = header(&mut lines)?;
        let target = folder.join(&path);
        let before = match (is_new, target.symlink_metadata().is_ok()) {
            (true, true) => bail!("{path} is there already"),
            (true, false) => String::new(),
            (false, _) => {
                ensure!(OURS.contains(&path.as_str()), "{path} was shipped, and is not the author's to edit here");
                fs::read_to_string(&target).with_context(|| path.clone())?
            }
        };
        let (after, lines_of_it) = patched(&before, &mut lines).with_context(|| format!("in the edits of {path}"))?;
        written += lines_of_it;
        files.push((target, after));
    }
    ensure!(written > 0, "nothing is edited");
    for (target, text) in files {
        fs::create_dir_all(target.parent().context("a file lies in a folder")?)?;
        fs::write(target, text)?;
    }
    Ok(written)
}

/// The path of the file that follows, and whether it is a new one.
fn header(lines: &mut Peekable<Lines<'_>>) -> Result<(String, bool)> {
    let old = lines.next().and_then(|line| line.strip_prefix("--- ")).context("a file begins with `--- `")?;
    let new = lines.next().and_then(|line| line.strip_prefix("+++ b/")).context("then comes `+++ b/`")?;
    let is_plain = new.split('/').all(|part| !part.is_empty() && part != "." && part != "..") && !new.contains('\\');
    ensure!(is_plain, "`{new}` is no path of a project");
    let is_new = old == "/dev/null";
    ensure!(is_new || old.strip_prefix("a/") == Some(new), "`{old}` and `{new}` are two files");
    Ok((new.to_owned(), is_new))
}

/// The text with all the hunks of a file in it, and the number of lines that they add.
fn patched(before: &str, lines: &mut Peekable<Lines<'_>>) -> Result<(String, usize)> {
    ensure!(before.is_empty() || before.ends_with('\n'), "the last line has no end");
    let old: Vec<&str> = before.lines().collect();
    let mut after: Vec<&str> = Vec::new();
    let (mut at, mut added) = (0, 0);
    while let Some(line) = lines.next_if(|line| line.starts_with("@@ ")) {
        let [(old_start, old_count), (new_start, new_count)] = ranges(line)?;
        let start = if old_count == 0 { old_start } else { old_start.saturating_sub(1) };
        after.extend(old.get(at..start).with_context(|| format!("`{line}` is out of order or beyond the end"))?);
        at = start;
        let first = if new_count == 0 { new_start } else { new_start.saturating_sub(1) };
        ensure!(after.len() == first, "`{line}` does not lead to line {}", after.len() + 1);
        let (mut olds, mut news) = (old_count, new_count);
        while olds > 0 || news > 0 {
            let body = lines.next().with_context(|| format!("`{line}` ends early"))?;
            let (mark, text) = body.split_at_checked(1).with_context(|| format!("`{line}` holds an empty line"))?;
            if mark != "+" {
                let there = old.get(at).copied();
                ensure!(there == Some(text), "line {} is {there:?}, not {text:?}", at + 1);
                at += 1;
                olds = olds.checked_sub(1).with_context(|| format!("`{line}` holds more lines"))?;
            }
            if mark != "-" {
                after.push(text);
                news = news.checked_sub(1).with_context(|| format!("`{line}` holds more lines"))?;
            }
            match mark {
                "+" => added += 1,
                "-" | " " => {}
                _ => bail!("`{body}` is no line of a diff"),
            }
        }
    }
    after.extend(old.get(at..).unwrap_or_default());
    Ok((after.iter().flat_map(|line| [line, "\n"]).collect(), added))
}

/// The two ranges of `@@ -1,2 +3,4 @@`.
fn ranges(line: &str) -> Result<[(usize, usize); 2]> {
    let context = || format!("`{line}` is no hunk");
    let inner = line.strip_prefix("@@ -").and_then(|rest| rest.strip_suffix(" @@")).with_context(context)?;
    let (old, new) = inner.split_once(" +").with_context(context)?;
    let range = |text: &str| -> Result<(usize, usize)> {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Ok((start.parse().with_context(context)?, count.parse().with_context(context)?))
    };
    Ok([range(old)?, range(new)?])
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
            (GOOD.replace("\"b\": [],", "\"b\": [2],"), "line 3 is"),
            (GOOD.replace("-2,3", "-3,3"), "does not lead to line"),
            (GOOD.replace("-2,3 +2,3", "-3,3 +3,3"), "line 3 is"),
            (GOOD.replace("-2,3", "-2,4"), "ends early"),
            (GOOD.replace("-2,3 +2,3", "-9,3 +9,3"), "beyond the end"),
            (GOOD.replace("@@ -2,3", "@@ 2,3"), "is no hunk"),
            (GOOD.replace("--- a/svc", "--- a/xvc"), "are two files"),
            (GOOD.replace("svc-app.json", "../svc-app.json"), "no path of a project"),
            (GOOD.replace("   \"c\"", "?  \"c\""), "is no line of a diff"),
            (format!("{GOOD}{shipped}"), "was shipped"),
            (PAGE.replace("demo/page.html", "app.js"), "is there already"),
            (format!("{GOOD}\\ No newline at end of file\n"), "begins with"),
            (String::new(), "nothing is edited"),
        ];
        for (diff, words) in cases {
            let folder = project();
            let refusal = format!("{:#}", apply(folder.path(), &diff).unwrap_err());
            assert!(refusal.contains(words), "{words}: {refusal}");
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
