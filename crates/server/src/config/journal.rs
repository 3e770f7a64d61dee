//! Where the journal is, as the settings say.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use svc_archive::regular_file;
use svc_journal::{
    open::{Backend, Location},
    origin::{self, LogOrigin},
    postgres::Settings,
};
use svc_proof::fault::{JournalFault, JournalFaultKind};

use super::settings::{ConfigError, Given, SettingOrigin};
use crate::log;

/// The names of the settings that tell where a journal is: all that commands on a journal need.
pub const NAMES: &[&str] = &["data-dir", "journal", "journal-authority", "journal-password-file"];

const PUBLIC_HELP: &str = "give --journal-origin with the address of the log, such as registry.example/journal; a log that \
    has another name keeps it, and cannot be public";

const MAX_PASSWORD_BYTES: u64 = 64 * 1024;

#[derive(Clone, Debug)]
pub struct JournalConfig {
    kind: Kind,
    folder: Option<PathBuf>,
    authority: Option<PathBuf>,
    password_file: Option<PathBuf>,
    origin: Option<LogOrigin>,
    is_public: bool,
}

#[derive(Clone)]
enum Kind {
    Off,
    Embedded,
    Shared(String),
}

/// Never with the address, which may hold a password.
impl std::fmt::Debug for Kind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Off => "Off",
            Self::Embedded => "Embedded",
            Self::Shared(_) => "Shared",
        })
    }
}

impl JournalConfig {
    /// Reads the settings. No file is touched.
    ///
    /// # Errors
    /// The first that cannot be used.
    pub fn read(given: &Given) -> Result<Self, ConfigError> {
        let path = |name| given.optional(name).map(PathBuf::from);
        let (word, origin) = given.value("journal");
        let kind = match word {
            "off" => Kind::Off,
            "sqlite" => Kind::Embedded,
            url if Settings::is_address(url) => {
                if origin == SettingOrigin::Flag && Settings::has_password(url) {
                    let help =
                        "leave the password out and give --journal-password-file FILE, or set SVC_JOURNAL instead";
                    return Err(given.wrong(
                        "journal",
                        "must not hold a password, because every user of the machine can see the command line",
                        help,
                    ));
                }
                Kind::Shared(url.to_owned())
            }
            _ => {
                return Err(given.wrong(
                    "journal",
                    "must be `sqlite`, `off` or `postgres://USER@HOST/DATABASE`",
                    "give one of the three; `sqlite` keeps the journal in the data folder",
                ));
            }
        };
        let folder = path("data-dir");
        if folder.is_none() && !matches!(kind, Kind::Off) {
            let message =
                "`data-dir` must be set: the journal needs a folder, and there is no home folder to use instead";
            return Err(ConfigError::new(message, "give --data-dir DIR, or turn the journal off with --journal off"));
        }
        let (authority, password_file) = (path("journal-authority"), path("journal-password-file"));
        let origin = wanted_origin(given)?;
        let is_public = is_public(given, &kind, origin.as_ref())?;
        Ok(Self { kind, folder, authority, password_file, origin, is_public })
    }

    /// Whether what proves the log is for everybody.
    #[must_use]
    pub const fn is_public(&self) -> bool {
        self.is_public
    }

    #[must_use]
    pub(super) const fn is_off(&self) -> bool {
        matches!(self.kind, Kind::Off)
    }

    /// The name that the log must have, where one is set.
    #[must_use]
    pub fn origin(&self) -> Option<&LogOrigin> {
        self.origin.as_ref()
    }

    /// Where the journal is; nothing when it is off.
    ///
    /// # Errors
    /// When the address cannot be used or a file that it needs cannot be read.
    pub fn location(&self) -> Result<Option<Location>, JournalFault> {
        let Some(folder) = self.folder.clone() else { return Ok(None) };
        let backend = match &self.kind {
            Kind::Off => return Ok(None),
            Kind::Embedded => Backend::Embedded,
            Kind::Shared(url) => {
                let password = self.password_file.as_deref().map(read_password).transpose()?;
                Backend::Shared(Box::new(Settings::parse(url, self.authority.as_deref(), password.as_deref())?))
            }
        };
        Ok(Some(Location { backend, folder }))
    }
}

/// Where the journal is when nobody says: the service manager's folder, else one of the user's own.
#[must_use]
pub fn default_folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let of = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let managed = of("STATE_DIRECTORY");
    let own = || of("XDG_STATE_HOME").or_else(|| Some(of("HOME")?.join(".local/state")));
    managed.or_else(|| Some(own()?.join("svc-registry")))
}

/// What `--print-config` shows of an address: no password.
pub(super) fn shown(value: &str) -> String {
    if Settings::is_address(value) { Settings::without_password(value) } else { value.to_owned() }
}

fn wanted_origin(given: &Given) -> Result<Option<LogOrigin>, ConfigError> {
    let Some(text) = given.optional("journal-origin") else { return Ok(None) };
    let wrong = || {
        given.wrong(
            "journal-origin",
            origin::FORM,
            "give an address without its scheme, such as registry.example/journal",
        )
    };
    LogOrigin::parse(text).map(Some).ok_or_else(wrong)
}

/// Strangers have to know the log by a name that leads to it.
fn is_public(given: &Given, kind: &Kind, origin: Option<&LogOrigin>) -> Result<bool, ConfigError> {
    const NAME: &str = "journal-public";
    let wrong = |message: &str, help: &str| Err(given.wrong(NAME, message, help));
    match given.value(NAME).0 {
        "no" | "false" => return Ok(false),
        "yes" | "true" => {}
        _ => return wrong("must be `yes` or `no`", "give `yes` only when everybody may read the log"),
    }
    if matches!(kind, Kind::Off) {
        return wrong("must be `no` while `journal` is `off`", "turn the journal on, or leave `journal-public` out");
    }
    match origin {
        Some(origin) if origin.is_address() => Ok(true),
        Some(_) => Err(given.wrong("journal-origin", origin::ADDRESS_FORM, PUBLIC_HELP)),
        None => wrong("needs `journal-origin`, which is not set", PUBLIC_HELP),
    }
}

fn read_password(file: &Path) -> Result<String, JournalFault> {
    let read =
        regular_file::refuse_world_writable(file).and_then(|()| regular_file::read_text(file, MAX_PASSWORD_BYTES));
    let text = read.map_err(|error| {
        let detail = format!("cannot read {} (`journal-password-file`): {error}", file.display());
        JournalFault::new(JournalFaultKind::Unusable, detail)
    })?;
    if let Some(told) = regular_file::shown_to_everybody(file) {
        log::warn("the password of the database is no secret", &told);
    }
    Ok(text.trim_end_matches(['\n', '\r']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(values: &[(&'static str, &str, SettingOrigin)]) -> Given {
        let mut given = Given::default();
        values.iter().for_each(|(name, value, origin)| given.set(name, (*value).to_owned(), *origin));
        given
    }

    #[test]
    fn a_password_on_the_command_line_is_refused_and_not_repeated() {
        let url = "postgres://svc:hunter2@localhost/svc";
        let folder = ("data-dir", "/data", SettingOrigin::Flag);
        let error = JournalConfig::read(&given(&[folder, ("journal", url, SettingOrigin::Flag)])).unwrap_err();
        assert!(error.help.contains("password-file") && !error.message.contains("hunter2"));
        let config = JournalConfig::read(&given(&[folder, ("journal", url, SettingOrigin::Environment)])).unwrap();
        assert!(!format!("{config:?} {}", shown(url)).contains("hunter2"));
        assert!(!shown("postgres://svc@localhost/svc?password=hunter2&x=1").contains("hunter2"));
        assert!(!shown("postgres://a:b:hunter2@@host/svc").contains("hunter2"));
    }

    #[test]
    fn the_journal_is_on_unless_it_is_turned_off() {
        let nowhere = JournalConfig::read(&Given::default()).unwrap_err();
        assert!(nowhere.help.contains("--data-dir"));
        let off = JournalConfig::read(&given(&[("journal", "off", SettingOrigin::Flag)])).unwrap();
        assert!(off.location().unwrap().is_none());
        let on = JournalConfig::read(&given(&[("data-dir", "/data", SettingOrigin::Default)])).unwrap();
        assert!(matches!(on.location().unwrap().unwrap().backend, Backend::Embedded));
        for wrong in ["", "on", "mysql://x", "SQLITE", "sqlite3"] {
            let value = given(&[("data-dir", "/data", SettingOrigin::Flag), ("journal", wrong, SettingOrigin::Flag)]);
            assert!(JournalConfig::read(&value).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_public_log_has_an_address_for_a_name() {
        let read = |values: &[(&'static str, &str)]| {
            let mut all = vec![("data-dir", "/data", SettingOrigin::Flag)];
            all.extend(values.iter().map(|(name, value)| (*name, *value, SettingOrigin::Flag)));
            JournalConfig::read(&given(&all)).map(|config| config.is_public())
        };
        let named = ("journal-origin", "registry.example/journal");
        for (values, said) in [
            (&[("journal-public", "yes")][..], "journal-origin"),
            (&[("journal-public", "yes"), ("journal-origin", "svc-journal-1")], "without its scheme"),
            (&[("journal-public", "yes"), ("journal-origin", "https://registry.example")], "scheme"),
            (&[("journal-public", "yes"), named, ("journal", "off")], "`off`"),
            (&[("journal-public", "perhaps"), named], "`yes` or `no`"),
        ] {
            let refused = read(values).unwrap_err();
            assert!(refused.message.contains(said), "{values:?}: {}", refused.message);
        }
        assert_eq!(read(&[("journal-public", "yes"), named]), Ok(true));
        assert_eq!((read(&[named]), read(&[])), (Ok(false), Ok(false)));
    }

    #[test]
    fn the_folder_is_the_managers_else_the_users() {
        let of = |pairs: &'static [(&str, &str)]| {
            default_folder(|name| pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into()))
        };
        assert_eq!(of(&[("STATE_DIRECTORY", "/var/lib/x"), ("HOME", "/h")]), Some("/var/lib/x".into()));
        assert_eq!(of(&[("XDG_STATE_HOME", "/s"), ("HOME", "/h")]), Some("/s/svc-registry".into()));
        assert_eq!(of(&[("XDG_STATE_HOME", "relative"), ("HOME", "/h")]), Some("/h/.local/state/svc-registry".into()));
        assert_eq!(of(&[("HOME", "")]), None);
    }
}
