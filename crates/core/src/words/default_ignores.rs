//! What goes into no package unless the manifest names it by its whole path: one row a reason.

/// Files and folders that are left out for one reason. Names count in lowercase.
#[derive(Debug, PartialEq, Eq)]
pub struct DefaultIgnore {
    /// What they are, for people.
    pub what: &'static str,
    /// Names of folders, or of files that stand for one, with all that is in them.
    pub folders: &'static [&'static str],
    /// Names of files.
    pub names: &'static [&'static str],
    /// How names of files begin.
    pub beginnings: &'static [&'static str],
    /// How names of files end.
    pub ends: &'static [&'static str],
    /// How names end that are not meant all the same.
    pub but_ends: &'static [&'static str],
}

const NONE: DefaultIgnore =
    DefaultIgnore { what: "", folders: &[], names: &[], beginnings: &[], ends: &[], but_ends: &[] };

/// Every row.
pub static DEFAULT_IGNORES: &[DefaultIgnore] = &[
    DefaultIgnore { what: "version control", folders: &[".git", ".hg", ".svn"], ..NONE },
    DefaultIgnore { what: "fetched dependencies", folders: &["node_modules"], ..NONE },
    DefaultIgnore { what: "left over by a system", names: &[".ds_store", "thumbs.db", "desktop.ini"], ..NONE },
    DefaultIgnore { what: "for the one who runs svc", folders: &["svc-reports"], names: &["svc.toml"], ..NONE },
    DefaultIgnore { what: "a log", beginnings: &["npm-debug.log"], ends: &[".log"], ..NONE },
    DefaultIgnore {
        what: "an environment file",
        names: &[".env"],
        beginnings: &[".env."],
        but_ends: &[".example", ".sample", ".template", ".dist"],
        ..NONE
    },
];

impl DefaultIgnore {
    /// The row that leaves a path out, by its own name or that of a folder above it.
    #[must_use]
    pub fn of_path(path: &str) -> Option<&'static Self> {
        let path = path.to_ascii_lowercase();
        let name = path.rsplit('/').next().unwrap_or_default();
        DEFAULT_IGNORES.iter().find(|row| path.split('/').any(|part| row.folders.contains(&part)) || row.has_name(name))
    }

    /// The row that leaves a folder out, with all that is in it.
    #[must_use]
    pub fn of_folder(path: &str) -> Option<&'static Self> {
        let path = path.to_ascii_lowercase();
        DEFAULT_IGNORES.iter().find(|row| path.split('/').any(|part| row.folders.contains(&part)))
    }

    fn has_name(&self, name: &str) -> bool {
        let is_named = self.names.contains(&name)
            || self.beginnings.iter().any(|beginning| name.starts_with(beginning))
            || self.ends.iter().any(|end| name.ends_with(end));
        is_named && !self.but_ends.iter().any(|end| name.ends_with(end))
    }

    /// The names that it knows, as patterns.
    #[must_use]
    pub fn in_patterns(&self) -> String {
        let folders = self.folders.iter().map(|name| format!("{name}/"));
        let names = self.names.iter().map(|name| (*name).to_owned());
        let beginnings = self.beginnings.iter().map(|beginning| format!("{beginning}*"));
        let ends = self.ends.iter().map(|end| format!("*{end}"));
        let all: Vec<String> = folders.chain(names).chain(beginnings).chain(ends).collect();
        match self.but_ends {
            [] => all.join(", "),
            ends => format!("{}, but not *{}", all.join(", "), ends.join(", *")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(path: &str) -> &'static str {
        DefaultIgnore::of_path(path).map_or("", |row| row.what)
    }

    #[test]
    fn a_path_is_left_out_by_its_name_or_a_folder_above_it() {
        for (path, expected) in [
            (".git", "version control"),
            ("a/.git/config", "version control"),
            (".gitignore", ""),
            ("node_modules/x/index.js", "fetched dependencies"),
            ("a/Node_Modules/x.js", "fetched dependencies"),
            ("node_modules.js", ""),
            ("assets/.DS_Store", "left over by a system"),
            ("Thumbs.db", "left over by a system"),
            ("build.log", "a log"),
            ("logs/build.log.txt", ""),
            ("npm-debug.log.1", "a log"),
            ("catalog", ""),
            (".env", "an environment file"),
            ("a/.env.production", "an environment file"),
            (".env.example", ""),
            (".environment", ""),
        ] {
            assert_eq!(reason(path), expected, "{path}");
        }
    }

    #[test]
    fn every_row_is_in_lowercase_and_told_in_patterns() {
        for row in DEFAULT_IGNORES {
            let patterns = row.in_patterns();
            assert!(!patterns.is_empty() && patterns == patterns.to_ascii_lowercase(), "{patterns}");
        }
    }
}
