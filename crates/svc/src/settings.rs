//! `svc.toml`: settings for every preflight and check. Which file may set what: `settings/member.rs`.
//!
//! Every path in a file lies beneath the file's own folder, and the command line takes precedence over it.

mod member;
pub(crate) mod place;

use std::{
    fs,
    ops::Range,
    path::{Component, Path, PathBuf},
};

use serde::Deserialize;
use svc_cli::{
    failure::Failure,
    files::{
        document::read_document,
        read::{Input, ReadError},
    },
    output::format::{Format, Target},
};
use svc_core::{artifact::head::Visibility, manifest, words::exit_code::ExitCode};
use svc_json::position::Position;
use toml::Spanned;

use crate::{
    package_arguments,
    report::{Deny, UsedSettings},
};

use member::Origin;
pub(crate) use member::{MEMBERS, Reach};

pub(crate) const FILE_NAME: &str = "svc.toml";

/// Where reports go that the file asks for, beside it.
pub(crate) const REPORTS_FOLDER: &str = "svc-reports";

/// Nobody wishes for more.
const MOST_BYTES: u64 = 64 * 1024;

/// The file as it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Written {
    packages: Option<Vec<Spanned<String>>>,
    out_dir: Option<Spanned<String>>,
    format: Option<Spanned<String>>,
    reports: Option<Vec<Spanned<String>>>,
    deny: Option<Vec<Spanned<String>>>,
    deny_warnings: Option<bool>,
    deny_blockers: Option<bool>,
    owner_id: Option<String>,
    owner_name: Option<String>,
    visibility: Option<Spanned<String>>,
}

impl Written {
    /// Drops the members that a file of this origin may not set, and returns their names.
    fn restrict(&mut self, origin: Origin) -> Vec<&'static str> {
        let Self {
            packages,
            out_dir,
            format,
            reports,
            deny,
            deny_warnings,
            deny_blockers,
            owner_id,
            owner_name,
            visibility,
        } = self;
        let ignored = [
            dropped("packages", packages, origin),
            dropped("out-dir", out_dir, origin),
            dropped("format", format, origin),
            dropped("reports", reports, origin),
            dropped("deny", deny, origin),
            dropped("deny-warnings", deny_warnings, origin),
            dropped("deny-blockers", deny_blockers, origin),
            dropped("owner-id", owner_id, origin),
            dropped("owner-name", owner_name, origin),
            dropped("visibility", visibility, origin),
        ];
        ignored.into_iter().flatten().collect()
    }
}

/// The name of a member that was set and has no effect there. A member without a row has none anywhere.
fn dropped<T>(name: &'static str, value: &mut Option<T>, origin: Origin) -> Option<&'static str> {
    let member = MEMBERS.iter().find(|member| member.name == name);
    if member.is_some_and(|member| member.reach.includes(origin)) {
        return None;
    }
    value.take().map(|_| name)
}

/// The settings of the folder that svc runs in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    pub(crate) used: UsedSettings,
    /// The manifests to check if the command line names none.
    pub(crate) packages: Vec<PathBuf>,
    pub(crate) out_dir: Option<PathBuf>,
    pub(crate) deny: Deny,
    pub(crate) owner_id: Option<String>,
    pub(crate) owner_name: Option<String>,
    pub(crate) visibility: Option<Visibility>,
    /// For the terminal first, then those with a file.
    pub(crate) targets: Vec<Target>,
    reports: Option<PathBuf>,
}

/// What a package's own file may do: make the run stricter.
#[derive(Debug)]
pub(crate) struct PackageSettings {
    pub(crate) used: UsedSettings,
    pub(crate) deny: Deny,
}

impl PackageSettings {
    /// The settings of a package's folder, if it has any.
    pub(crate) fn read(folder: &Path) -> Result<Option<Self>, Failure> {
        let settings = Settings::read(folder, Origin::Package)?;
        Ok(settings.map(|Settings { used, deny, .. }| Self { used, deny }))
    }
}

impl Settings {
    /// The settings of the current folder, if it has any.
    pub(crate) fn of_current_folder() -> Result<Option<Self>, Failure> {
        Self::read(Path::new(""), Origin::of_current_folder())
    }

    fn read(folder: &Path, origin: Origin) -> Result<Option<Self>, Failure> {
        let path = folder.join(FILE_NAME);
        let file = SettingsFile { folder: folder.to_owned(), label: path.to_string_lossy().into_owned(), origin };
        let bytes = match read_document(&Input::Path(path), MOST_BYTES) {
            Ok(bytes) => bytes,
            Err(ReadError::NotFound) => return Ok(None),
            Err(error) => return Err(Failure::reading(&file.label, &error)),
        };
        let text = String::from_utf8(bytes);
        let text = text.map_err(|_| file.refusal("", 0, "must be UTF-8, and is not".to_owned(), "write it again"))?;
        file.read(&text).map(Some)
    }

    /// Makes the folder that the reports go to.
    pub(crate) fn create_reports_folder(&self) -> Result<(), Failure> {
        let Some(folder) = &self.reports else { return Ok(()) };
        if is_folder(folder)? {
            return Ok(());
        }
        fs::create_dir(folder).map_err(|error| Failure {
            exit: ExitCode::InputOutput,
            message: format!("{}: cannot be made: {error}", folder.to_string_lossy()),
            help: None,
        })
    }
}

/// Whether the folder of the reports is there. Anything else in its place, a link too, is refused.
fn is_folder(folder: &Path) -> Result<bool, Failure> {
    match fs::symlink_metadata(folder) {
        Ok(found) if found.is_dir() => Ok(true),
        Ok(_) => {
            let message = format!("{}: must be a folder, and is none", folder.to_string_lossy());
            let help = Some("move it elsewhere: the reports of `svc.toml` go there".to_owned());
            Err(Failure { exit: ExitCode::InputOutput, message, help })
        }
        Err(_) => Ok(false),
    }
}

/// A file while it is read.
struct SettingsFile {
    folder: PathBuf,
    label: String,
    origin: Origin,
}

impl SettingsFile {
    fn read(self, text: &str) -> Result<Settings, Failure> {
        let mut written: Written = toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(0, |span: Range<usize>| span.start);
            let message = error.message().lines().collect::<Vec<_>>().join("; ");
            self.refusal(text, start, message, "`svc explain settings` lists the members")
        })?;
        let ignored = written.restrict(self.origin);
        let mut packages = Vec::new();
        for pattern in written.packages.iter().flatten() {
            packages.extend(self.manifests(text, pattern)?);
        }
        let out_dir = written.out_dir.as_ref().map(|name| self.beside(text, name)).transpose()?;
        let (targets, reports) = self.targets(text, &written)?;
        let mut deny = Deny {
            blockers: written.deny_blockers.unwrap_or_default(),
            warnings: written.deny_warnings.unwrap_or_default(),
            ..Deny::default()
        };
        for code in written.deny.iter().flatten() {
            let rule = package_arguments::denied_rule(code.get_ref());
            deny.rules.push(rule.map_err(|failure| self.placed(text, code, failure))?);
        }
        let visibility = written.visibility.as_ref().map(|word| {
            Visibility::parse(word.get_ref()).ok_or_else(|| {
                let message = format!("there is no visibility `{}`", word.get_ref());
                self.refusal(
                    text,
                    word.span().start,
                    message,
                    &format!("give one of: {}", Visibility::WORDS.join(", ")),
                )
            })
        });
        Ok(Settings {
            packages,
            out_dir,
            deny,
            owner_id: written.owner_id,
            owner_name: written.owner_name,
            visibility: visibility.transpose()?,
            targets,
            reports,
            used: UsedSettings { label: self.label, ignored },
        })
    }

    /// The terminal's format, and a file for each report.
    fn targets(&self, text: &str, written: &Written) -> Result<(Vec<Target>, Option<PathBuf>), Failure> {
        let format = |word: &Spanned<String>| {
            let message = || format!("there is no format `{}`", word.get_ref());
            let words = || format!("give one of: {}", Format::WORDS.join(", "));
            Format::parse(word.get_ref()).ok_or_else(|| self.refusal(text, word.span().start, message(), &words()))
        };
        let mut targets = Vec::new();
        targets
            .extend(written.format.as_ref().map(|word| Ok(Target { format: format(word)?, file: None })).transpose()?);
        let folder = self.folder.join(REPORTS_FOLDER);
        for word in written.reports.iter().flatten() {
            let format = format(word)?;
            targets.push(Target { format, file: Some(folder.join(format.file_name())) });
        }
        if targets.iter().all(|target| target.file.is_some()) && !targets.is_empty() {
            targets.insert(0, Target { format: Format::Human, file: None });
        }
        if written.reports.iter().flatten().next().is_none() {
            return Ok((targets, None));
        }
        is_folder(&folder)?;
        Ok((targets, Some(folder)))
    }

    /// The manifests that a pattern names: a folder, or all folders below one.
    fn manifests(&self, text: &str, pattern: &Spanned<String>) -> Result<Vec<PathBuf>, Failure> {
        let (parent, all) = match pattern.get_ref().strip_suffix("/*") {
            Some(parent) => (parent, true),
            None => (pattern.get_ref().as_str(), false),
        };
        let folder = self.beneath(text, &Spanned::new(pattern.span(), parent.to_owned()))?;
        let has_manifest = |folder: &Path| fs::symlink_metadata(folder.join(manifest::FILE_NAME)).is_ok();
        let mut folders = vec![folder.clone()];
        if all {
            let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
            let entries = fs::read_dir(listed).into_iter().flatten().flatten();
            let inner = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
            folders = inner.map(|entry| entry.path()).filter(|folder| has_manifest(folder)).collect();
            folders.sort();
        }
        if folders.is_empty() || !folders.iter().all(|folder| has_manifest(folder)) {
            let message = format!("`{}` names no package", pattern.get_ref());
            let help = format!("name the folder of an `{}`, or `FOLDER/*` for all below it", manifest::FILE_NAME);
            return Err(self.refusal(text, pattern.span().start, message, &help));
        }
        Ok(folders.into_iter().map(|folder| folder.join(manifest::FILE_NAME)).collect())
    }

    /// A name beside the file: a path through folders could be made to lead elsewhere while it is looked at.
    fn beside(&self, text: &str, name: &Spanned<String>) -> Result<PathBuf, Failure> {
        let path = self.beneath(text, name)?;
        if path.parent() == Some(self.folder.as_path()) {
            return Ok(path);
        }
        let message = format!("`{}` must be one name beside the file, and leads further", name.get_ref());
        let help = "give a name, such as `svc-registry`; elsewhere leads only the command line";
        Err(self.refusal(text, name.span().start, message, help))
    }

    /// A path beneath the folder of the file, through no link.
    fn beneath(&self, text: &str, path: &Spanned<String>) -> Result<PathBuf, Failure> {
        let refusal = |why: &str| {
            let message = format!("`{}` {why}", path.get_ref());
            let help =
                "give a folder beneath that of the file, such as `svc-registry`; elsewhere leads only the command line";
            Err(self.refusal(text, path.span().start, message, help))
        };
        let given = path.get_ref();
        let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if given.is_empty() || given.contains(['\\', ':']) || !Path::new(given).components().all(is_plain) {
            return refusal("must be a relative path without `..`");
        }
        let mut whole = self.folder.clone();
        for part in Path::new(given).components().filter(|part| matches!(part, Component::Normal(_))) {
            whole.push(part);
            if fs::symlink_metadata(&whole).is_ok_and(|found| found.file_type().is_symlink()) {
                return refusal("must not lead through a link");
            }
        }
        Ok(whole)
    }

    fn placed(&self, text: &str, at: &Spanned<String>, failure: Failure) -> Failure {
        self.refusal(text, at.span().start, failure.message, &failure.help.unwrap_or_default())
    }

    fn refusal(&self, text: &str, at: usize, message: String, help: &str) -> Failure {
        Failure::usage(format!("{}:{}: {message}", self.label, Position::of(text, at)), help)
    }
}

#[cfg(test)]
mod tests;
