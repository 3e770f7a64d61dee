//! The settings of a TOML file, each with its line.

use svc_core::words::suggest;
use toml::de::{DeTable, DeValue};

use super::settings::{ConfigError, Given, SETTINGS, Setting, SettingOrigin, ValueKind};

impl Given {
    /// Adds the values of a TOML file, which messages call by the label.
    ///
    /// # Errors
    /// When it is not TOML, and every setting in it that does not exist or has a value of another type.
    pub fn add_file(&mut self, label: &str, text: &str) -> Result<(), Vec<ConfigError>> {
        label.clone_into(&mut self.file);
        let at = |offset: usize| format!("{label}: line {}", line_of(text, offset));
        let table = DeTable::parse(text).map_err(|error| {
            let place = at(error.span().map_or(0, |span| span.start));
            let help = "correct the line; a setting is written as `bind = \"127.0.0.1:8787\"`";
            let said = error.message().lines().collect::<Vec<_>>().join(", ");
            vec![ConfigError::new(format!("{place}: not valid TOML: {said}"), help)]
        })?;
        let mut errors = Vec::new();
        for (name, value) in table.get_ref() {
            let place = at(name.span().start);
            let Some(setting) = SETTINGS.iter().find(|setting| setting.name == name.get_ref().as_ref()) else {
                errors.push(unknown(name.get_ref(), &place));
                continue;
            };
            let origin = SettingOrigin::File(line_of(text, name.span().start));
            match text_of(setting.kind, value.get_ref()) {
                Some(value) => self.set(setting.name, value, origin),
                None => errors.push(of_another_type(setting, &place)),
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

/// The value as a flag would give it. Texts are taken for every setting, other types where they are meant.
fn text_of(kind: ValueKind, value: &DeValue<'_>) -> Option<String> {
    match (kind, value) {
        (_, DeValue::String(text)) => Some(text.clone().into_owned()),
        (ValueKind::YesNo, DeValue::Boolean(yes)) => Some(if *yes { "yes" } else { "no" }.to_owned()),
        (ValueKind::Number, DeValue::Integer(number)) => {
            i64::from_str_radix(number.as_str(), number.radix()).ok().map(|number| number.to_string())
        }
        (
            ValueKind::Text | ValueKind::YesNo | ValueKind::Number,
            DeValue::Boolean(_)
            | DeValue::Integer(_)
            | DeValue::Float(_)
            | DeValue::Datetime(_)
            | DeValue::Array(_)
            | DeValue::Table(_),
        ) => None,
    }
}

fn of_another_type(setting: &Setting, place: &str) -> ConfigError {
    let (form, help) = match setting.kind {
        ValueKind::Text => ("a string", "put the value in double quotes"),
        ValueKind::YesNo => {
            ("true, false, or a string", "write `true` or `false`, or \"yes\" or \"no\" with the quotes")
        }
        ValueKind::Number => ("a whole number, or a string", "write a number without quotes, such as 10"),
    };
    ConfigError::new(format!("{place}: `{}` must be {form}", setting.name), help)
}

fn unknown(name: &str, place: &str) -> ConfigError {
    let names: Vec<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
    let help = match suggest::closest(name, &names) {
        Some(close) => format!("did you mean `{close}`?"),
        None => format!("use one of: {}", names.join(", ")),
    };
    ConfigError::new(format!("{place}: there is no setting `{}`", name.escape_default()), help)
}

fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Vec<String> {
        let errors = Given::default().add_file("f.toml", text).unwrap_err();
        errors.into_iter().map(|error| format!("{}; {}", error.message, error.help)).collect()
    }

    #[test]
    fn what_is_no_setting_is_refused_with_its_line_and_a_guess() {
        assert_eq!(
            messages("# comment\nbindd = \"127.0.0.1:1\"\nrate = 60\n"),
            [
                "f.toml: line 2: there is no setting `bindd`; did you mean `bind`?",
                "f.toml: line 3: `rate` must be a string; put the value in double quotes"
            ]
        );
    }

    #[test]
    fn what_is_not_toml_is_refused_with_its_line() {
        let messages = messages("bind = \"127.0.0.1:1\"\nrate = \n");
        assert!(messages[0].starts_with("f.toml: line 2: "), "{messages:?}");
    }

    #[test]
    fn a_setting_that_is_given_twice_is_refused() {
        assert!(messages("rate = \"off\"\nrate = \"60/30\"\n")[0].starts_with("f.toml: line 2: "));
    }

    #[test]
    fn every_setting_takes_the_types_that_it_means_and_no_other() {
        let values = ["10", "0x0a", "true", "10.0", "[10]", "{ a = 1 }", "2026-01-01", "99999999999999999999"];
        let takes = |name: &str| -> Vec<&str> {
            let read = |value: &&str| Given::default().add_file("f.toml", &format!("\n{name} = {value}\n"));
            let taken = values.iter().filter(|value| match read(value) {
                Ok(()) => true,
                Err(errors) => {
                    assert!(errors[0].message.starts_with(&format!("f.toml: line 2: `{name}` must be ")), "{errors:?}");
                    false
                }
            });
            taken.copied().collect()
        };
        for setting in SETTINGS {
            let expected: &[&str] = match setting.name {
                "drain-pause" => &["10", "0x0a"],
                "behind-proxy" | "journal-public" => &["true"],
                _ => &[],
            };
            assert_eq!(takes(setting.name), expected, "{}", setting.name);
        }
        let mut given = Given::default();
        given.add_file("f.toml", "drain-pause = 0x0a\n").unwrap();
        assert_eq!(given.value("drain-pause").0, "10");
    }
}
