//! Whether the settings of a manifest agree with themselves.

use std::collections::BTreeSet;

use svc_json::{
    pointer::Pointer,
    tree::{Node, Value},
};

use crate::{
    finding::Finding,
    manifest::vocabulary::SettingType,
    rules::package::{Package, Sink},
    scalar::subject::Subject,
};

/// The defaults that a toggle can have.
const TOGGLE_DEFAULTS: [&str; 2] = ["false", "true"];

/// Reports settings that share a key, and those that no user could leave as they are.
pub(super) fn contradictory_settings(package: &Package<'_>, sink: &mut Sink<'_>) {
    let mut keys = BTreeSet::new();
    for (place, setting) in package.list("/configuration") {
        let key = setting.get("key").and_then(Node::as_str);
        if key.is_some_and(|key| !keys.insert(key)) {
            sink.report_about(place.join("key"), "key-twice", "another setting has the same key");
        }
        if let Some(r#type) = setting.get("type").and_then(Node::as_str).and_then(SettingType::parse) {
            choices(&place, setting, r#type, sink);
            default(&place, setting, r#type, sink);
        }
    }
}

fn choices(place: &Pointer, setting: &Node<'_>, r#type: SettingType, sink: &mut Sink<'_>) {
    let given = setting.get("choices").map(Node::elements);
    let place = place.join("choices");
    match (r#type, given) {
        (SettingType::Choice, None | Some([])) => {
            sink.report_about(place, "no-choices", "a setting of the type `choice` has nothing to choose from");
        }
        (SettingType::Choice, Some(choices)) => {
            let mut seen = BTreeSet::new();
            let words = choices.iter().enumerate().filter_map(|(at, choice)| Some((at, choice.as_str()?)));
            for (at, _) in words.filter(|(_, word)| !seen.insert(*word)) {
                sink.report_about(place.join(at), "choice-twice", "the choice is in the list twice");
            }
        }
        (SettingType::Secret | SettingType::Text | SettingType::Toggle, Some(_)) => {
            sink.report_about(place, "choices-unused", "only a setting of the type `choice` has choices");
        }
        (SettingType::Secret | SettingType::Text | SettingType::Toggle, None) => {}
    }
}

fn default(place: &Pointer, setting: &Node<'_>, r#type: SettingType, sink: &mut Sink<'_>) {
    let Some(default) = setting.get("default").and_then(Node::as_str) else { return };
    let at = place.join("default");
    match r#type {
        SettingType::Choice => {
            let choices = setting.get("choices").map(Node::elements).unwrap_or_default();
            // Without choices there is nothing to compare with, which has a finding of its own.
            if !choices.is_empty() && !choices.iter().any(|choice| choice.as_str() == Some(default)) {
                sink.report_about(at, "default-no-choice", "the default is not one of the choices");
            }
        }
        SettingType::Toggle if !TOGGLE_DEFAULTS.contains(&default) => {
            sink.report_about(at, "default-no-toggle", "the default of a toggle is `true` or `false`");
        }
        SettingType::Secret => {
            sink.report_about(at, "default-secret", "a secret has no default: everybody could read it in the package");
        }
        SettingType::Toggle | SettingType::Text => {}
    }
    let is_required = setting.get("required").is_some_and(|required| required.value == Value::Bool(true));
    if is_required && r#type != SettingType::Secret {
        let message = "the setting is required and has a default, so nobody is asked for it";
        let finding = Finding::new(sink.rule, message).about(Subject::word("required-default")).lightened();
        sink.report_finding(finding.at(place.join("required")));
    }
}
