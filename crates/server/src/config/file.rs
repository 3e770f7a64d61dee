//! The settings of a TOML file, each with its line.

use svc_core::words::suggest;
use toml::de::{DeTable, DeValue};

use super::settings::{ConfigError, Given, SETTINGS, SettingOrigin};

impl Given {
    /// Adds the values of a TOML file.
    ///
    /// # Errors
    /// When it is not TOML, and every setting in it that does not exist or has a value of another type.
    pub fn add_file(&mut self, text: &str) -> Result<(), Vec<ConfigError>> {
        let table = DeTable::parse(text).map_err(|error| {
            let line = error.span().map_or(1, |span| line_of(text, span.start));
            let help = "correct the line; a setting is written as `bind = \"127.0.0.1:8787\"`";
            vec![ConfigError::new(format!("line {line}: not valid TOML: {}", error.message()), help)]
        })?;
        let mut errors = Vec::new();
        for (name, value) in table.get_ref() {
            let line = line_of(text, name.span().start);
            let Some(setting) = SETTINGS.iter().find(|setting| setting.name == name.get_ref().as_ref()) else {
                errors.push(unknown(name.get_ref(), line));
                continue;
            };
            match value.get_ref() {
                DeValue::String(value) => self.set(setting.name, value.clone().into_owned(), SettingOrigin::File(line)),
                DeValue::Boolean(value) => {
                    self.set(setting.name, if *value { "yes" } else { "no" }.to_owned(), SettingOrigin::File(line));
                }
                DeValue::Integer(_)
                | DeValue::Float(_)
                | DeValue::Datetime(_)
                | DeValue::Array(_)
                | DeValue::Table(_) => {
                    let message = format!("line {line}: `{}` must be a string", setting.name);
                    errors.push(ConfigError::new(message, "put the value in double quotes"));
                }
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

fn unknown(name: &str, line: usize) -> ConfigError {
    let names: Vec<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
    let help = match suggest::closest(name, &names) {
        Some(close) => format!("did you mean `{close}`?"),
        None => format!("use one of: {}", names.join(", ")),
    };
    ConfigError::new(format!("line {line}: there is no setting `{}`", name.escape_default()), help)
}

fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Vec<String> {
        let errors = Given::default().add_file(text).unwrap_err();
        errors.into_iter().map(|error| format!("{}; {}", error.message, error.help)).collect()
    }

    #[test]
    fn what_is_no_setting_is_refused_with_its_line_and_a_guess() {
        assert_eq!(
            messages("# comment\nbindd = \"127.0.0.1:1\"\nrate = 60\n"),
            [
                "line 2: there is no setting `bindd`; did you mean `bind`?",
                "line 3: `rate` must be a string; put the value in double quotes"
            ]
        );
    }

    #[test]
    fn what_is_not_toml_is_refused_with_its_line() {
        let messages = messages("bind = \"127.0.0.1:1\"\nrate = \n");
        assert!(messages[0].starts_with("line 2: "), "{messages:?}");
    }

    #[test]
    fn a_setting_that_is_given_twice_is_refused() {
        assert!(messages("rate = \"off\"\nrate = \"60/30\"\n")[0].starts_with("line 2: "));
    }
}
