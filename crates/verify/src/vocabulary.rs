//! What a word or a name says: yes, no, or nothing.
//!
//! One vocabulary serves every reader. A status, the name of a flag and the name of a list are read with the same words,
//! so that `waived` is a yes in all three places. The words themselves are in [`crate::seed`].

use svc_json::tree::{Node, Value};

use crate::seed;

/// What a word or a name says about clearing a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Says {
    Yes,
    No,
    Nothing,
}

impl Says {
    const fn turned(self) -> Self {
        match self {
            Self::Yes => Self::No,
            Self::No => Self::Yes,
            Self::Nothing => Self::Nothing,
        }
    }
}

/// What an open flag looks like in text that is no JSON.
pub(crate) const YES: [&str; 3] = ["true", "yes", "1"];

/// Words in the name of a member that says what comes later, what is asked for, or what is in the way.
const POINTS_ON: [&str; 21] = [
    "blocks",
    "blocked",
    "blocking",
    "next",
    "before",
    "until",
    "unless",
    "requires",
    "required",
    "requested",
    "wanted",
    "target",
    "to",
    "if",
    "once",
    "when",
    "needs",
    "needed",
    "expected",
    "possible",
    "must",
];

/// Words that turn another one around, or put it off.
const DENIES: [&str; 14] = [
    "not", "no", "never", "nothing", "none", "un", "yet", "to", "be", "awaiting", "pending", "before", "until",
    "cannot",
];

/// What a clear no is, by itself.
const NO_WORDS: [&str; 21] = [
    "",
    "false",
    "f",
    "n",
    "0",
    "off",
    "null",
    "none",
    "-",
    "no",
    "n/a",
    "not applicable",
    "denied",
    "refused",
    "rejected",
    "pending",
    "missing",
    "planned",
    "prepared",
    "declared",
    "nobody",
];

/// Words in the name of a flag that is `true`, or of a list, while nothing is cleared.
const STILL_TO_DO: [&str; 17] = [
    "missing",
    "required",
    "needed",
    "blocking",
    "blocked",
    "pending",
    "outstanding",
    "must",
    "still",
    "to",
    "todo",
    "before",
    "until",
    "awaiting",
    "remaining",
    "unmet",
    "wanting",
];

/// Words in a name that turn the others around.
const NEGATES: [&str; 5] = ["not", "no", "never", "non", "without"];

/// Words in a name that put it into the past.
const PAST: [&str; 9] = ["formerly", "former", "previously", "previous", "past", "earlier", "was", "were", "history"];

/// Words for cleared that, in a name, describe the gate itself: one that is active is in the way.
const OF_THE_GATE_ITSELF: [&str; 13] = [
    "active",
    "enabled",
    "enforced",
    "recorded",
    "checked",
    "available",
    "allowed",
    "on",
    "true",
    "yes",
    "1",
    "trusted",
    "in-force",
];

/// Words in the name of a list that is not that of what is missing, and clears nothing either.
const OTHER_LISTS: [&str; 3] = ["have", "has", "closed"];

/// The words of a name, in lower case: `noLongerMissing`, `no_longer_missing`, `X-No-Longer-Missing`.
pub(crate) fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_capital = false;
    for character in name.chars() {
        let is_capital = character.is_uppercase();
        if !character.is_alphanumeric() || (is_capital && !after_capital) {
            words.push(String::new());
        }
        after_capital = is_capital;
        if let Some(word) = words.last_mut() {
            word.extend(character.to_lowercase().filter(|it| it.is_alphanumeric()));
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Letters and digits in lower case.
pub(crate) fn plain(name: &str) -> String {
    name.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A word without what stands around it, and without signs that nobody sees.
pub(crate) fn normal(word: &str) -> String {
    let seen = |character: &char| !matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}');
    let word: String = word.chars().filter(seen).collect();
    let is_around = |character: char| !character.is_alphanumeric() && !"✓✔%-".contains(character);
    word.trim_matches(is_around).to_lowercase()
}

/// What one word of a name says.
fn word_says(word: &str) -> Says {
    let is_cleared = |word: &str| {
        (seed::CLEARED_WORDS.contains(&word) || seed::OPEN_WORDS.contains(&word)) && !OF_THE_GATE_ITSELF.contains(&word)
    };
    let denied = ["un", "in"].iter().find_map(|begin| word.strip_prefix(begin));
    if is_cleared(word) {
        Says::Yes
    } else if STILL_TO_DO.contains(&word) || denied.is_some_and(is_cleared) {
        Says::No
    } else {
        Says::Nothing
    }
}

/// What a `true` under this name says: `cleared`, `isVerified`, `verifiedAt`; `missing`, `notCleared`, `mustBeCleared`.
/// `clearedBy` says nothing: the ledger names by it who is to clear a gate.
pub(crate) fn member_says(name: &str) -> Says {
    let words = words_of(name);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (before, word) = match words.as_slice() {
        [before @ .., word, "at" | "on" | "off" | "since" | "date"] | [before @ .., word] => (before, *word),
        [] => return Says::Nothing,
    };
    let has = |known: &[&str]| before.iter().any(|word| known.contains(word));
    match word_says(word) {
        Says::Yes if has(&STILL_TO_DO) => Says::No,
        Says::Yes if has(&POINTS_ON) => Says::Nothing,
        said @ (Says::Yes | Says::No) if has(&NEGATES) => said.turned(),
        Says::No if has(&PAST) => Says::Yes,
        said @ (Says::Yes | Says::No | Says::Nothing) => said,
    }
}

/// What a list of gates under this name says of them: `clearedGates`, `waived`, `noLongerMissing`; `pending`, `notDone`.
pub(crate) fn list_says(name: &str) -> Says {
    let words = words_of(name);
    let says = |says: Says| words.iter().any(|word| word_says(word) == says);
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    if says(Says::No) {
        if has(&NEGATES) || has(&PAST) { Says::Yes } else { Says::No }
    } else if says(Says::Yes) {
        if has(&NEGATES) { Says::No } else { Says::Yes }
    } else {
        Says::Nothing
    }
}

/// Whether a list under this name may be that of the gates still missing. What is required may be met: only what still is
/// says that something is missing.
pub(crate) fn may_list_missing(name: &str) -> bool {
    let words = words_of(name);
    let has = |word: &str| words.iter().any(|one| one == word);
    let is_asked = (has("required") || has("requires")) && !has("still");
    let is_other = words.iter().any(|word| [&OTHER_LISTS[..], &PAST].concat().contains(&word.as_str()));
    list_says(name) != Says::Yes && !is_asked && !is_other
}

/// Whether a name says what comes later, or what is asked for: a value under it says nothing of now.
pub(crate) fn points_on(name: &str) -> bool {
    words_of(name).iter().any(|word| POINTS_ON.contains(&word.as_str()))
}

/// The name of a member whose whole value says where something stands.
pub(crate) fn is_standing(name: &str) -> bool {
    let name = plain(name);
    seed::STANDINGS.iter().any(|standing| name.ends_with(standing))
}

/// A name that says which stage was reached: `stage`, `currentStage`, `X-Stage`, `stageReached`, `stageName`.
pub(crate) fn is_stage_name(name: &str) -> bool {
    let words = words_of(name);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    !points_on(name) && matches!(words.as_slice(), [.., "stage"] | [.., "stage", "reached" | "name" | "id"])
}

/// A stage that nothing outside reaches.
pub(crate) fn is_unreached_stage(word: &str) -> bool {
    seed::UNREACHED_STAGES.iter().any(|stage| plain(word) == plain(stage))
}

/// The name of a flag, also with signs in it that nobody sees.
pub(crate) fn is_flag(name: &str) -> bool {
    seed::FLAGS.contains(&plain(name).as_str())
}

/// `accepted`, `isAccepted`, `package.accepted`, `acceptedAt`, `signedBy`, `canInstall`; not `cosigned`, `notAccepted` or
/// `beforeItIsAccepted`.
pub(crate) fn is_spoken(name: &str) -> bool {
    let words = words_of(name);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [.., "not", _] => false,
        _ if points_on(name) => false,
        ["can", "install"] => true,
        [.., before, "at" | "by" | "on" | "off" | "since" | "date"] => seed::SPOKEN.contains(before),
        [.., last] => seed::SPOKEN.contains(last),
        [] => false,
    }
}

/// `notAccepted`, `not_installable`, `unsigned`: a `false` there is a yes.
pub(crate) fn is_denied_name(name: &str) -> bool {
    let words = words_of(name);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [.., "not", last] => seed::SPOKEN.contains(last),
        [.., last] => last.strip_prefix("un").is_some_and(|last| seed::SPOKEN.contains(&last)),
        [] => false,
    }
}

/// Whatever is no clear no.
pub(crate) fn says_yes(value: &Node<'_>) -> bool {
    match &value.value {
        Value::Bool(flag) => *flag,
        Value::Integer(number) => number.to_string() != "0",
        Value::String(text) => !is_no(text),
        Value::Null | Value::RefusedNumber => false,
        Value::Array(elements) => !elements.is_empty(),
        Value::Object(members) => !members.is_empty(),
    }
}

/// `false`, `0`, or a word for no. `null` and what is empty say nothing.
pub(crate) fn says_no(value: &Node<'_>) -> bool {
    match &value.value {
        Value::Bool(flag) => !flag,
        Value::Integer(number) => number.to_string() == "0",
        Value::String(text) => ["false", "no", "0", "n", "none"].contains(&normal(text).as_str()),
        Value::Null | Value::RefusedNumber | Value::Array(_) | Value::Object(_) => false,
    }
}

/// One of the words for no, or `not`, `not yet`, `never`, `un` or `in` and a word that would claim something.
fn is_no(word: &str) -> bool {
    let word = normal(word);
    let rest = ["not yet", "not", "never", "un", "in"].iter().find_map(|begin| word.strip_prefix(begin));
    let claimed = |rest: &str| {
        let rest = rest.trim_start_matches([' ', '-', '_']);
        rest.is_empty() || word_says(rest) == Says::Yes || seed::SPOKEN.contains(&rest)
    };
    NO_WORDS.contains(&word.as_str()) || rest.is_some_and(claimed)
}

pub(crate) fn is_yes(word: &str) -> bool {
    YES.contains(&normal(word).as_str())
}

pub(crate) fn is_open_word(word: &str) -> bool {
    seed::OPEN_WORDS.contains(&normal(word).as_str())
}

/// A word that is nothing but a yes, under a name that is not that of a status: `verified`, `passed`, `waived`.
pub(crate) fn is_whole_yes(word: &str) -> bool {
    word_says(&normal(word)) == Says::Yes
}

/// A word for cleared, also among others: `already verified`, `Verified ✓`, `no longer missing`; not `to be verified`.
pub(crate) fn is_cleared_word(word: &str) -> bool {
    let whole = normal(word).replace([' ', '_'], "-");
    let words: Vec<&str> = whole.split('-').collect();
    let has = |known: &[&str]| words.iter().any(|word| known.contains(word));
    seed::CLEARED_WORDS.contains(&whole.as_str())
        || (has(&seed::OPEN_WORDS) && !has(&DENIES))
        || words.starts_with(&["no", "longer"])
        || matches!(words.as_slice(), ["not", "missing" | "blocked" | "pending" | "required" | "unverified"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_says_yes_or_no_by_its_last_word() {
        for name in ["cleared", "isVerified", "verifiedAt", "waived", "notMissing", "passed", "is-complete"] {
            assert_eq!(member_says(name), Says::Yes, "{name}");
        }
        for name in ["missing", "stillMissing", "notCleared", "mustBeCleared", "unverified", "incomplete", "required"] {
            assert_eq!(member_says(name), Says::No, "{name}");
        }
        for name in
            ["open", "passedWhen", "clearedBy", "dependsOn", "enabled", "passedChecks", "summary", "", "nextVerified"]
        {
            assert_eq!(member_says(name), Says::Nothing, "{name}");
        }
    }

    #[test]
    fn a_list_says_yes_or_no_by_any_word() {
        for name in [
            "clearedGates",
            "waivedGates",
            "skippedGates",
            "exempt",
            "bypassed",
            "overridden",
            "ignored",
            "formerlyMissing",
            "previouslyMissing",
            "noLongerOutstanding",
            "notRequired",
            "X-Cleared-Gates",
        ] {
            assert_eq!(list_says(name), Says::Yes, "{name}");
            assert!(!may_list_missing(name), "{name}");
        }
        for name in [
            "missingGates",
            "MISSING_GATES",
            "notDone",
            "uncleared",
            "unsatisfied",
            "gatesToClear",
            "open",
            "blockers",
            "gatesLeft",
        ] {
            assert!(may_list_missing(name), "{name}");
        }
        for name in ["requiredGates", "have", "closedGates", "history"] {
            assert!(!may_list_missing(name) && list_says(name) != Says::Yes, "{name}");
        }
    }

    #[test]
    fn a_stage_is_one_that_was_reached() {
        for name in ["stage", "currentStage", "x-stage", "Svc-Stage", "stageReached", "lifecycleStage"] {
            assert!(is_stage_name(name), "{name}");
        }
        for name in ["nextStage", "blocksStage", "stages", "toStage", "stageCount"] {
            assert!(!is_stage_name(name), "{name}");
        }
        assert!(is_unreached_stage("Signed package") && !is_unreached_stage("Review report"));
    }
}
