//! Where a glob can lead: which folders have to be walked for it.
//!
//! Never too narrow: every folder above a path the glob matches is entered. It may be wider than needed, where
//! braces hold a slash.

use std::ffi::OsStr;

/// The shape of one glob, part by part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reach(Vec<Step>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// Exactly this part.
    Part(String),
    /// Any one part.
    AnyPart,
    /// Any number of parts, and whatever follows.
    Deep,
}

impl Reach {
    pub(super) fn from_glob(glob: &str) -> Self {
        let deep_from = first_part_of_braces_around_a_slash(glob);
        let mut steps = Vec::new();
        for (index, part) in glob.split('/').enumerate() {
            if part == "**" || deep_from == Some(index) {
                steps.push(Step::Deep);
                break;
            }
            steps.push(if part.contains(['*', '?', '[', '{']) { Step::AnyPart } else { Step::Part(part.to_owned()) });
        }
        Self(steps)
    }

    /// Whether the glob may match something below the folder. The path is relative, with `/`, and not empty.
    pub(super) fn enters(&self, folder: &OsStr) -> bool {
        let mut steps = self.0.iter();
        for part in folder.as_encoded_bytes().split(|byte| *byte == b'/') {
            match steps.next() {
                Some(Step::Deep) => return true,
                Some(Step::AnyPart) => {}
                Some(Step::Part(expected)) if expected.as_bytes() == part => {}
                Some(Step::Part(_)) | None => return false,
            }
        }
        steps.next().is_some()
    }
}

/// `src/{a/b,c}` may match at more than one depth: from its braces on, everything is possible.
fn first_part_of_braces_around_a_slash(glob: &str) -> Option<usize> {
    let (before, braced) = glob.split_once('{')?;
    let (braced, _) = braced.rsplit_once('}')?;
    braced.contains('/').then(|| before.matches('/').count())
}

#[cfg(test)]
mod tests {
    use globset::{GlobBuilder, GlobSet};

    use super::*;

    fn enters(glob: &str, folder: &str) -> bool {
        Reach::from_glob(glob).enters(OsStr::new(folder))
    }

    #[test]
    fn a_folder_beside_the_literal_prefix_is_not_entered() {
        assert!(!enters("dist/**", "node_modules"));
        assert!(!enters("dist/**", "distinct"));
        assert!(!enters("assets/img/*.png", "assets/fonts"));
        assert!(!enters("*.html", "node_modules"));
        assert!(!enters("*/*.html", "a/b"));
        assert!(!enters("dist", "dist"));
    }

    #[test]
    fn every_folder_on_the_way_is_entered() {
        assert!(enters("dist/**", "dist"));
        assert!(enters("dist/**", "dist/a/b/c"));
        assert!(enters("assets/img/*.png", "assets"));
        assert!(enters("assets/img/*.png", "assets/img"));
        assert!(enters("**/*.js", "anywhere/at/all"));
        assert!(enters("src/{a/b,c}/x", "src/a/b"));
        assert!(enters("*/x", "a"));
    }

    /// All texts made of so many pieces at most.
    fn texts(pieces: &[&str], most: usize) -> Vec<String> {
        let mut all = vec![String::new()];
        let mut from = 0;
        for _ in 0..most {
            let to = all.len();
            for index in from..to {
                for piece in pieces {
                    all.push(format!("{}{piece}", all[index]));
                }
            }
            from = to;
        }
        all
    }

    fn has_no_empty_part(path: &str) -> bool {
        path.split('/').all(|part| !part.is_empty())
    }

    #[test]
    fn whatever_a_glob_matches_lies_in_folders_it_enters() {
        let mut paths = texts(&["a", "b", "/"], 5);
        paths.retain(|path| path.contains('/') && has_no_empty_part(path));
        let mut globs = texts(&["a", "b/", "*", "**", "/", "{", ",", "}"], 5);
        globs.retain(|glob| has_no_empty_part(glob));
        let mut matches = 0;
        for glob in globs {
            let parsed = GlobBuilder::new(&glob).literal_separator(true).build();
            let Some(set) = parsed.and_then(|glob| GlobSet::new([glob])).ok() else {
                continue;
            };
            for path in paths.iter().filter(|path| set.is_match(path)) {
                matches += 1;
                for (at, _) in path.match_indices('/') {
                    assert!(enters(&glob, &path[..at]), "{glob} matches {path}");
                }
            }
        }
        assert!(matches > 10_000, "{matches}");
    }
}
