//! Looks for open claims in a reply, whatever it is: in any member at any depth, behind a duplicate, in an error, in a
//! header, in a page that is no JSON at all.
//!
//! The words are those of [`crate::seed`], held by hand. This only accuses; that a reply is what it should be is judged
//! elsewhere.

use svc_core::verification::FaultCode;
use svc_json::tree::{self, Member, Node, Value};

use crate::{
    check::{CheckFault, cut},
    denial::{self, GateRow, GateWord},
    exchange::Reply,
    seed,
};

/// What a body is, as far as claims go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// A statement about a package, a ledger or a contract: gates in it are claims.
    Statement,
    /// A schema or an API description, which speaks of members without claiming anything by them.
    Description,
}

/// Names of headers whose whole value says where a package stands.
const STANDING: [&str; 6] = [
    "artifact-hash",
    "publisher-verification",
    "review-storage",
    "artifact-signing",
    "host-install-policy",
    "renderer-isolation",
];

/// What an open flag looks like in text that is no JSON.
const YES: [&str; 3] = ["true", "yes", "1"];

/// Words in the name of a member that says what comes later, or what is in the way.
const POINTS_ON: [&str; 15] = [
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

pub(crate) fn open_claims(reply: &Reply, reading: Reading) -> Vec<CheckFault> {
    let mut faults = header_claims(reply);
    // Letters of two bytes each are read as well as those of one.
    let body: Vec<u8> = reply.body.iter().copied().filter(|byte| *byte != 0).collect();
    match tree::read(&reply.body) {
        Ok(document) => {
            if document.root.members().is_empty() && reading == Reading::Statement {
                faults.extend(whole_claim(&String::from_utf8_lossy(&body), "the body"));
            }
            walk(&document.root, "", reading, &mut faults);
            if !document.faults.is_empty() {
                faults.extend(spoken_claims(&String::from_utf8_lossy(&reply.body), "the body"));
            }
        }
        Err(_) => {
            let text = String::from_utf8_lossy(&body);
            faults.extend(spoken_claims(&text, "the body").or_else(|| whole_claim(&text, "the body")));
        }
    }
    faults
}

fn header_claims(reply: &Reply) -> Vec<CheckFault> {
    let mut faults = Vec::new();
    for (name, value) in &reply.headers {
        let value = value.trim();
        let speaks = name.split(['-', '_']).any(|part| seed::SPOKEN.contains(&part));
        let closed = ["false", "no", "0", seed::DENIED].iter().any(|word| value.eq_ignore_ascii_case(word));
        let mut standings = STANDING.iter().chain(&seed::STANDINGS);
        let stands = standings.any(|standing| name == standing || name.ends_with(&format!("-{standing}")));
        let mut said = value.split([',', ';']);
        let is_decision = stands && said.clone().any(|word| is_open_word(word) || is_yes(word));
        let is_row = said.any(|pair| {
            let row = pair.split_once(['=', ':']);
            row.is_some_and(|(gate, word)| {
                named_gate(gate).is_some_and(|known| plain(known) == plain(gate)) && is_cleared_word(word)
            })
        });
        let is_cleared = is_row || (denial::is_cleared_list(name) && named_gate(value).is_some());
        if is_cleared || is_decision || (speaks && !closed) {
            let message = format!("the header `{}` says `{}`", cut(name), cut(value));
            faults.push(CheckFault::new(FaultCode::OpenClaim, message));
        }
        faults.extend(spoken_claims(value, &format!("the header `{}`", cut(name))));
    }
    faults
}

/// A claim in running text: a flag's name, a colon or an equals sign, and a yes. Marks of a page may stand between.
fn spoken_claims(text: &str, place: &str) -> Option<CheckFault> {
    let plain: String =
        text.chars().filter(|character| !character.is_whitespace() && !"\"'\\".contains(*character)).collect();
    let plain = plain.to_lowercase();
    let claimed = spoken_flag(&plain).or_else(|| spoken_flag(&without_marks(&plain)))?;
    Some(CheckFault::new(FaultCode::OpenClaim, format!("{place} says that something is {claimed}")))
}

fn spoken_flag(text: &str) -> Option<&'static str> {
    seed::SPOKEN.into_iter().find(|name| {
        text.match_indices(name).any(|(at, name)| {
            let rest = text.get(at + name.len()..).and_then(|rest| rest.strip_prefix([':', '=', '>']));
            rest.is_some_and(|rest| YES.iter().any(|yes| rest.starts_with(yes)))
        })
    })
}

fn without_marks(text: &str) -> String {
    text.split('<').map(|part| part.split_once('>').map_or(part, |(_, after)| after)).collect()
}

/// A text or a value that is nothing but an open word.
fn whole_claim(text: &str, place: &str) -> Option<CheckFault> {
    let word = text.trim().trim_matches(['"', '\'', '[', ']', ' ']);
    let claim = || CheckFault::new(FaultCode::OpenClaim, format!("{place} is `{}`", cut(word)));
    (is_open_word(word) || is_yes(word)).then(claim)
}

fn walk(node: &Node<'_>, place: &str, reading: Reading, faults: &mut Vec<CheckFault>) {
    for member in node.members() {
        let here = format!("{place}/{}", cut(&member.key));
        faults.extend(flag_claim(member, &here, reading));
        if reading == Reading::Statement {
            match member.key.as_ref() {
                "gateStatuses" => faults.extend(gate_claims(&member.value, &here)),
                "missingGates" => faults.extend(missing_claim(&member.value, &here)),
                _ => faults.extend(other_claim(member, &here)),
            }
        }
        walk(&member.value, &here, reading, faults);
    }
    for (index, element) in node.elements().iter().enumerate() {
        if reading == Reading::Statement {
            faults.extend(row_claim(element, &format!("{place}/{index}")));
        }
        walk(element, &format!("{place}/{index}"), reading, faults);
    }
}

/// Only the literal `false` is closed. A schema describes a flag by an object, which claims nothing.
fn flag_claim(member: &Member<'_>, place: &str, reading: Reading) -> Option<CheckFault> {
    let is_flag = is_flag(&member.key);
    let closed = match &member.value.value {
        Value::Bool(flag) => !flag,
        Value::Null | Value::Integer(_) | Value::RefusedNumber | Value::String(_) => false,
        Value::Array(_) | Value::Object(_) => reading == Reading::Description,
    };
    if is_flag && !closed {
        let message = format!("{place} is {}, not `false`", shown(&member.value));
        return Some(CheckFault::new(FaultCode::OpenClaim, message));
    }
    let standing = plain(&member.key);
    // A stage that is blocked, or comes next, is not where a package stands.
    let points_on = denial::words_of(&member.key).iter().any(|word| POINTS_ON.contains(&word.as_str()));
    let is_standing = !points_on && seed::STANDINGS.iter().any(|name| standing.ends_with(name));
    let is_decision = ["outcome", "decision", "verdict"].contains(&standing.as_str());
    let inner = ["value", "code", "id", "name"].iter().filter_map(|name| member.value.get(name));
    let said = [&member.value].into_iter().chain(member.value.elements()).chain(inner);
    let open = said.filter_map(Node::as_str).find(|word| {
        let unreached = standing == "stage" && seed::UNREACHED_STAGES.iter().any(|stage| plain(word) == plain(stage));
        let is_open = is_open_word(word) || unreached || (is_decision && is_yes(word));
        is_standing && reading == Reading::Statement && is_open
    })?;
    Some(CheckFault::new(FaultCode::OpenClaim, format!("{place} is `{}`", cut(open))))
}

/// What no specification names and everybody understands: a flag under a longer name, a flag and its value in two members, a
/// gate outside of `gateStatuses`, a list of gates that are cleared, a document as a text.
fn other_claim(member: &Member<'_>, place: &str) -> Option<CheckFault> {
    let claim = |message: String| Some(CheckFault::new(FaultCode::OpenClaim, message));
    let (name, value) = (plain(&member.key), &member.value);
    let is_denied = is_denied_name(&member.key) && matches!(value.value, Value::Bool(false));
    if is_denied || (!is_flag(&member.key) && is_spoken(&member.key) && says_yes(value)) {
        return claim(format!("{place} is {}", shown(value)));
    }
    // Those of `gateStatuses` are judged as rows, and the flags by themselves.
    let is_elsewhere = !place.contains("/gateStatuses/") && !is_flag(&member.key);
    let gate = denial::gate_of(&member.key).filter(|gate| is_elsewhere && *gate != seed::SHOWN_GATE);
    if let Some(gate) = gate {
        let is_its_name = name == plain(gate);
        let word = denial::word_of(value);
        let open = match &word {
            GateWord::Text(word) => {
                is_open_word(word) && value.as_str().is_some() || (is_its_name && is_cleared_word(word))
            }
            GateWord::Flag(flag) => *flag && (is_its_name || denial::is_cleared_list(&member.key)),
            GateWord::None => false,
        };
        if open {
            return claim(format!("{place}: the gate `{gate}` is {}", shown(value)));
        }
    }
    if denial::is_cleared_list(&member.key) {
        let inner = value.elements().iter().flat_map(Node::elements);
        let rows = value.elements().iter().chain(inner).filter_map(|element| {
            let row = denial::gate_row(element).filter(|row| row.word != GateWord::Flag(false));
            element.as_str().map(str::to_owned).or_else(|| row.map(|row| row.gate))
        });
        let members =
            value.members().iter().filter(|member| says_yes(&member.value)).map(|member| member.key.to_string());
        let texts = value.as_str().map(str::to_owned).into_iter().chain(rows).chain(members);
        if let Some(gate) = texts.into_iter().find_map(|text| named_gate(&text)) {
            return claim(format!("{place} names `{gate}` as cleared"));
        }
    }
    let text = value.as_str()?.trim_start();
    if text.starts_with(['{', '[']) {
        return spoken_claims(text, place);
    }
    None
}

/// A gate that a text names, but for the one that shows something.
fn named_gate(text: &str) -> Option<&'static str> {
    text.split([',', ';', ' ']).filter_map(denial::gate_of).find(|gate| *gate != seed::SHOWN_GATE)
}

/// A row of a list that names a flag or a gate, and says yes of it in another member.
fn row_claim(row: &Node<'_>, place: &str) -> Option<CheckFault> {
    // Those of `gateStatuses` are judged there.
    let gate = denial::gate_row(row).filter(|_| !place.contains("/gateStatuses/"));
    let is_its_name =
        |gate: &GateRow| denial::gate_of(&gate.gate).is_some_and(|known| plain(known) == plain(&gate.gate));
    if let Some(fault) = gate.filter(is_its_name).and_then(|row| cleared(&row, place)) {
        return Some(fault);
    }
    let name = ["name", "key", "flag", "id"].iter().find_map(|name| row.get(name)?.as_str())?;
    let value = ["value", "status", "state", "is"].iter().find_map(|name| row.get(name))?;
    let claim = || CheckFault::new(FaultCode::OpenClaim, format!("{place}: `{}` is {}", cut(name), shown(value)));
    (is_spoken(name) && says_yes(value)).then(claim)
}

/// Letters and digits in lower case.
fn plain(name: &str) -> String {
    name.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The name of a flag, also with signs in it that nobody sees.
fn is_flag(name: &str) -> bool {
    seed::FLAGS.contains(&plain(name).as_str())
}

/// `accepted`, `isAccepted`, `package.accepted`, `acceptedAt`, `signedBy`, `canInstall`; not `cosigned`, `notAccepted` or
/// `beforeItIsAccepted`.
fn is_spoken(name: &str) -> bool {
    let words = denial::words_of(name);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [.., "not", _] => false,
        words if words.iter().any(|word| POINTS_ON.contains(word)) => false,
        ["can", "install"] => true,
        [.., before, "at" | "by" | "on" | "off" | "since" | "date"] => seed::SPOKEN.contains(before),
        [.., last] => seed::SPOKEN.contains(last),
        [] => false,
    }
}

/// `notAccepted`, `not_installable`, `unsigned`: a `false` there is a yes.
fn is_denied_name(name: &str) -> bool {
    let words = denial::words_of(name);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [.., "not", last] => seed::SPOKEN.contains(last),
        [.., last] => last.strip_prefix("un").is_some_and(|last| seed::SPOKEN.contains(&last)),
        [] => false,
    }
}

/// Whatever is no clear no.
fn says_yes(value: &Node<'_>) -> bool {
    match &value.value {
        Value::Bool(flag) => *flag,
        Value::Integer(number) => number.to_string() != "0",
        Value::String(text) => !is_no(text),
        Value::Null | Value::RefusedNumber => false,
        Value::Array(elements) => !elements.is_empty(),
        Value::Object(members) => !members.is_empty(),
    }
}

/// One of the words for no, or `not`, `not yet`, `never` or `un` and a word that would claim something.
fn is_no(word: &str) -> bool {
    let word = normal(word);
    let rest = ["not yet", "not", "never", "un"].iter().find_map(|begin| word.strip_prefix(begin));
    let claimed = |rest: &str| {
        let rest = rest.trim_start_matches([' ', '-', '_']);
        rest.is_empty() || seed::OPEN_WORDS.contains(&rest) || seed::SPOKEN.contains(&rest)
    };
    NO_WORDS.contains(&word.as_str()) || rest.is_some_and(claimed)
}

fn is_yes(word: &str) -> bool {
    YES.contains(&normal(word).as_str())
}

/// A word without what stands around it, and without signs that nobody sees.
fn normal(word: &str) -> String {
    let seen = |character: &char| !matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}');
    let word: String = word.chars().filter(seen).collect();
    let is_around = |character: char| !character.is_alphanumeric() && !"✓✔%-".contains(character);
    word.trim_matches(is_around).to_lowercase()
}

fn is_open_word(word: &str) -> bool {
    seed::OPEN_WORDS.contains(&normal(word).as_str())
}

/// A word for cleared, also among others: `already verified`, `Verified ✓`, `no longer missing`; not `to be verified`.
fn is_cleared_word(word: &str) -> bool {
    let whole = normal(word).replace([' ', '_'], "-");
    let words: Vec<&str> = whole.split('-').collect();
    let has = |known: &[&str]| words.iter().any(|word| known.contains(word));
    seed::CLEARED_WORDS.contains(&whole.as_str())
        || (has(&seed::OPEN_WORDS) && !has(&DENIES))
        || words.starts_with(&["no", "longer"])
        || matches!(words.as_slice(), ["not", "missing" | "blocked" | "pending" | "required" | "unverified"])
}

fn gate_claims(statuses: &Node<'_>, place: &str) -> Vec<CheckFault> {
    let mut faults: Vec<CheckFault> =
        denial::gate_rows(statuses).iter().filter_map(|row| cleared(row, place)).collect();
    if statuses.members().is_empty() {
        faults.push(differs(format!("{place} must be an object with a word for each gate")));
        return faults;
    }
    for member in statuses.members() {
        let word = member.value.as_str().unwrap_or(member.value.type_name());
        let gate = cut(&member.key);
        match seed::word(&member.key) {
            None => faults.push(differs(format!("{place} has a gate `{gate}` that does not exist"))),
            Some(known) if word == known => {}
            Some("evidenced") if word == seed::UNEVIDENCED => {}
            Some(known) => {
                faults.push(differs(format!("{place}: the gate `{gate}` has the word `{}`, not `{known}`", cut(word))));
            }
        }
    }
    let absent = seed::LEDGER.iter().filter(|(gate, ..)| statuses.get(gate).is_none());
    faults.extend(absent.map(|(gate, ..)| differs(format!("{place}: the gate `{gate}` is missing"))));
    faults
}

/// A gate that is said to be cleared, however the gates are spelled. The one that shows something may say so.
fn cleared(row: &GateRow, place: &str) -> Option<CheckFault> {
    let gate = denial::gate_of(&row.gate);
    if gate == Some(seed::SHOWN_GATE) {
        return None;
    }
    let word = match &row.word {
        GateWord::Text(word) if is_open_word(word) || (gate.is_some() && is_cleared_word(word)) => word.as_str(),
        GateWord::Flag(true) if gate.is_some() => "true",
        GateWord::Text(_) | GateWord::Flag(_) | GateWord::None => return None,
    };
    let message = format!("{place}: the gate `{}` is `{}`", cut(&row.gate), cut(word));
    Some(CheckFault::new(FaultCode::OpenClaim, message))
}

fn differs(message: String) -> CheckFault {
    CheckFault::new(FaultCode::GateDiffers, message)
}

/// The list of missing gates names the five that nothing clears.
fn missing_claim(list: &Node<'_>, place: &str) -> Option<CheckFault> {
    let named: Vec<&str> = list.elements().iter().filter_map(Node::as_str).collect();
    let absent = seed::missing().find(|gate| !named.contains(gate))?;
    Some(CheckFault::new(FaultCode::GateDiffers, format!("{place} does not name `{absent}`, as if it were cleared")))
}

fn shown(node: &Node<'_>) -> String {
    match &node.value {
        Value::Bool(flag) => format!("`{flag}`"),
        Value::Integer(number) => format!("`{number}`"),
        Value::String(text) => format!("the text `{}`", cut(text)),
        Value::Null | Value::RefusedNumber | Value::Array(_) | Value::Object(_) => node.type_name().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims(body: &str) -> Vec<FaultCode> {
        let reply = Reply { status: 200, headers: Vec::new(), body: body.as_bytes().to_vec(), ..Reply::default() };
        open_claims(&reply, Reading::Statement).into_iter().map(|fault| fault.code).collect()
    }

    #[test]
    fn an_open_word_is_a_claim_wherever_something_stands_and_no_other_word_is() {
        for standing in seed::STANDINGS {
            for word in seed::OPEN_WORDS {
                for body in [
                    format!("{{\"{standing}\":\"{word}\"}}"),
                    format!("{{\"receipt\":{{\"record\":{{\"{standing}\":\" {} \"}}}}}}", word.to_uppercase()),
                ] {
                    assert_eq!(claims(&body), [FaultCode::OpenClaim], "{body}");
                }
                assert_eq!(claims(&format!("{{\"{standing}\":\"un{word}\"}}")), []);
                assert_eq!(claims(&format!("{{\"{standing}\":\"not yet {word}\"}}")), []);
            }
            for word in ["denied", "refused", "allowed", "complete", "prepared"] {
                assert_eq!(claims(&format!("{{\"{standing}\":\"{word}\"}}")), [], "{word}");
            }
        }
        assert_eq!(claims("{\"operation\":\"approved\"}"), []);
        assert_eq!(claims("{\"stage\":\"signed-package\"}"), [FaultCode::OpenClaim]);
        assert_eq!(claims("{\"blocksStage\":\"signed-package\"}"), []);
        let recorded = "{\"receipt\":{\"record\":{\"outcome\":\"refused\",\"accepted\":true}}}";
        assert_eq!(claims(recorded), [FaultCode::OpenClaim]);
    }

    #[test]
    fn only_a_description_may_say_something_else_of_a_flag_than_false() {
        let body = "{\"properties\":{\"accepted\":{\"const\":false}}}";
        assert_eq!(claims(body), [FaultCode::OpenClaim]);
        let reply = Reply { body: body.as_bytes().to_vec(), ..Reply::default() };
        assert_eq!(open_claims(&reply, Reading::Description), []);
    }

    #[test]
    fn a_gate_with_an_open_word_is_a_claim_but_for_the_one_that_shows_something() {
        for word in seed::OPEN_WORDS {
            let statuses = |gate: &str| claims(&format!("{{\"gateStatuses\":{{\"{gate}\":\"{word}\"}}}}"));
            for gate in seed::missing().chain(["self-review"]) {
                assert_eq!(statuses(gate).first(), Some(&FaultCode::OpenClaim), "{gate} {word}");
            }
            assert!(!statuses(seed::SHOWN_GATE).contains(&FaultCode::OpenClaim), "{word}");
        }
    }

    #[test]
    fn every_spelling_of_an_open_flag_is_seen() {
        for flag in seed::FLAGS {
            for value in ["true", "1", "0", "null", "\"false\"", "\"true\"", "\"\"", "1.5", "[]", "{}"] {
                for body in [format!("{{\"{flag}\":{value}}}"), format!("{{\"a\":[{{\"b\":{{\"{flag}\":{value}}}}}]}}")]
                {
                    assert_eq!(claims(&body).first(), Some(&FaultCode::OpenClaim), "{body}");
                }
            }
            assert_eq!(claims(&format!("{{\"{flag}\":false}}")), []);
            assert!(claims(&format!("{{\"{flag}\":false,\"{flag}\":true}}")).contains(&FaultCode::OpenClaim));
            assert!(claims(&format!("{{\"{flag}\":false}}{{\"{flag}\":true}}")).contains(&FaultCode::OpenClaim));
            assert_eq!(claims(&format!("<p>{flag} = TRUE</p>")), [FaultCode::OpenClaim]);
            assert_eq!(claims(&format!("<p>{flag}: <b>yes</b></p>")), [FaultCode::OpenClaim]);
            assert_eq!(claims(&format!("<p>{flag}: no</p>")), []);
        }
    }

    #[test]
    fn a_gate_with_another_word_is_seen_wherever_it_stands() {
        let all: Vec<String> = seed::LEDGER.iter().map(|(gate, _, word)| format!("\"{gate}\":\"{word}\"")).collect();
        let statuses = |gates: &[String]| format!("{{\"x\":{{\"gateStatuses\":{{{}}}}}}}", gates.join(","));
        assert_eq!(claims(&statuses(&all)), []);
        for (index, (gate, ..)) in seed::LEDGER.iter().enumerate() {
            let mut other = all.clone();
            other[index] = format!("\"{gate}\":\"pending\"");
            assert_eq!(claims(&statuses(&other)), [FaultCode::GateDiffers], "{gate}");
            other.remove(index);
            assert_eq!(claims(&statuses(&other)), [FaultCode::GateDiffers], "{gate}");
        }
        assert_eq!(claims("{\"missingGates\":[]}"), [FaultCode::GateDiffers]);
    }

    #[test]
    fn a_cleared_gate_is_a_claim_in_every_shape_and_spelling() {
        for (gate, word) in
            [("publisherVerification", "\"done\""), ("Artifact signing", "true"), ("review", "\"Stored\"")]
        {
            for body in [
                format!("{{\"gateStatuses\":{{\"{gate}\":{word}}}}}"),
                format!("{{\"gateStatuses\":{{\"{gate}\":{{\"state\":{word}}}}}}}"),
                format!("{{\"gateStatuses\":[{{\"name\":\"{gate}\",\"status\":{word}}}]}}"),
                format!("{{\"gateStatuses\":[[\"{gate}\",{word}]]}}"),
            ] {
                assert_eq!(claims(&body).first(), Some(&FaultCode::OpenClaim), "{body}");
            }
        }
        for body in [
            "{\"gateStatuses\":[[\"artifactHash\",\"verified\"]]}",
            "{\"gateStatuses\":[[\"malware-scan\",\"done\"]]}",
            "{\"gateStatuses\":[[\"publisher\",\"unverified\"]]}",
        ] {
            assert!(!claims(body).contains(&FaultCode::OpenClaim), "{body}");
        }
    }

    #[test]
    fn a_yes_in_other_words_is_a_claim_and_a_no_is_none() {
        for body in [
            r#"{"approved":true}"#,
            r#"{"isAccepted":true}"#,
            r#"{"package_accepted":"yes"}"#,
            r#"{"accepted ":true}"#,
            r#"{"package.accepted":1}"#,
            r#"{"canInstall":true}"#,
            r#"{"flags":[{"name":"accepted","value":true}]}"#,
            r#"{"outcome":["denied","accepted"]}"#,
            r#"{"outcome":{"value":"accepted"}}"#,
            r#"{"reviewStatus":"Approved."}"#,
            r#"{"gates":{"artifact-signing":"signed"}}"#,
            r#"{"publisherVerification":"verified"}"#,
            r#"{"gate_statuses":{"host-install-policy":"ok"}}"#,
            r#"{"clearedGates":["artifact-hash","artifact-signing"]}"#,
            r#"{"okGates":["artifact-signing"]}"#,
            r#"{"clearedGates":[{"gate":"artifact-signing"}]}"#,
            r#"{"clearedGates":"artifact-signing"}"#,
            r#"{"noLongerMissing":["artifact-signing"]}"#,
            r#"{"gates":{"done":["host-install-policy"]}}"#,
            r#"{"gates":[["artifact-signing","signed"]]}"#,
            r#"{"gates":{"artifact-signing":{"cleared":true}}}"#,
            r#"{"gates":[{"gate":"artifact-signing","missing":false}]}"#,
            r#"{"checks":{"host-install-policy":{"passed":true}}}"#,
            r#"{"approved":"Y"}"#,
            r#"{"acceptedAt":"2026-11-18T00:00:00Z"}"#,
            r#"{"signedBy":"registry"}"#,
            r#"{"signed-off":true}"#,
            r#"{"approved":"not denied"}"#,
            r#"{"approved":"no objections"}"#,
            r#"{"notInstallable":false}"#,
            r#"{"unsigned":false}"#,
            "{\"accep\u{200b}ted\":true}",
            "{\"outcome\":\"accepted\u{200b}\"}",
            r#"{"outcome":{"code":"accepted"}}"#,
            r#"{"decision":"yes"}"#,
            r#"{"stage":{"id":"installed"}}"#,
            r#"{"verified":["publisher-verification"]}"#,
            r#"{"clearedGates":[["publisher-verification"]]}"#,
            r#"{"cleared":{"publisher-verification":"2026-11-18"}}"#,
            r#"{"publisherVerified":true}"#,
            r#"{"gateStatuses":{"publisher-verification":"Verified ✓"}}"#,
            r#"{"gateStatuses":{"publisher-verification":"already verified"}}"#,
            r#"{"gateStatuses":{"publisher-verification":"no longer missing"}}"#,
            r#"{"gateStatuses":{"publisher-verification":"not blocked"}}"#,
            r#"{"gateStatuses":{"publisher-verification":"certified"}}"#,
            r#"{"approved":{"by":"me"}}"#,
            r#"{"published":"2026-01-01"}"#,
            r#"{"installed":true}"#,
            r#"{"stage":"SIGNED_PACKAGE"}"#,
            r#"{"stage":"publicListing"}"#,
            r#"{"data":"{\"accepted\":true}"}"#,
            r#""accepted""#,
            r#"["accepted"]"#,
            "true",
            "accepted",
            "<accepted>true</accepted>",
            "{\0\"\0a\0c\0c\0e\0p\0t\0e\0d\0\"\0:\0t\0r\0u\0e\0}\0",
        ] {
            assert!(claims(body).contains(&FaultCode::OpenClaim), "{body}");
        }
        for body in [
            r#"{"isAccepted":false,"approved":false,"published":false,"unsigned":true,"cosigned":1,"notAccepted":true}"#,
            r#"{"acceptedMediaTypes":["application/json"],"digestVerified":true,"requiresSigning":true}"#,
            r#"{"flags":[{"name":"accepted","value":false}]}"#,
            r#"{"beforeItIsAccepted":["artifact-signing"],"mustBeCleared":["artifact-signing"],"acceptedAt":null}"#,
            r#"{"blockers":[{"gate":"artifact-signing","blocksStage":"installed"}],"blockedStage":"installed"}"#,
            r#"{"approved":"not yet approved","installed":"never","released":"not released","published":"unpublished"}"#,
            r#"{"gates":{"artifact-hash":"verified","artifact-signing":"unsigned"}}"#,
            r#"{"requiredGates":["artifact-signing"],"clearedGates":["artifact-hash"]}"#,
            r#"{"approved":"no","published":"not yet","installed":null,"released":0,"approvedBy":[]}"#,
            r#"{"missing":[{"gate":"artifact-signing","missing":true}],"open":[{"gate":"artifact-signing","cleared":false}]}"#,
            r#"{"gates":[["artifact-signing","unsigned"],["artifact-hash","verified"]],"missingGates2":["artifact-signing"]}"#,
            r#"{"message":"a package is never accepted here","state":"denied","publisher":"Acme"}"#,
            "not accepted",
            "false",
        ] {
            assert_eq!(claims(body), [], "{body}");
        }
    }

    #[test]
    fn a_header_is_a_claim_too() {
        let claims = |name: &str, value: &str| {
            let reply = Reply {
                status: 500,
                headers: vec![(name.into(), value.into())],
                body: b"{}".to_vec(),
                ..Reply::default()
            };
            open_claims(&reply, Reading::Statement).len()
        };
        assert_eq!(claims("svc-decision", "denied"), 0);
        assert_eq!(claims("svc-decision", "granted"), 1);
        assert_eq!(claims("svc-decision", "yes"), 1);
        assert_eq!(claims("x-state", "Approved"), 1);
        assert_eq!(claims("x-result", "denied, signed"), 1);
        assert_eq!(claims("svc-decision", "Approved"), 1);
        assert_eq!(claims("x-package-accepted", "1"), 1);
        assert_eq!(claims("x-package-accepted", "false"), 0);
        assert_eq!(claims("x-cleared-gates", "artifact-signing"), 1);
        assert_eq!(claims("x-missing-gates", "artifact-signing"), 0);
        assert_eq!(claims("x-note", "installable=true"), 1);
        assert_eq!(claims("x-decision", "\"accepted\""), 1);
        assert_eq!(claims("x-gate-status", "publisher-verification=verified"), 1);
        assert_eq!(claims("x-gate-status", "publisher-verification=unverified"), 0);
        assert_eq!(claims("content-type", "application/json"), 0);
    }
}
