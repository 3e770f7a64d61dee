//! Reads a denial in any shape that the specification allows.
//!
//! The specification names `accepted`, `signed`, `installable` and `gateStatuses`, and asks for a list of the gates that are
//! missing. It gives no name for that list, no spelling of the gates, no envelope and no status code (4.2, 7). So the
//! members may be nested, the gates may be an object, a list of objects or a list of pairs, and are known by their words.

use svc_json::tree::{Node, Value};

use crate::seed;

/// How deep an envelope may be.
const MAX_DEPTH: usize = 4;

/// Members that say where a gate is in a row that is an object, and which word it has.
const GATE_MEMBERS: [&str; 5] = ["gate", "name", "id", "key", "title"];
const WORD_MEMBERS: [&str; 4] = ["status", "state", "value", "word"];

/// Words in the name of a flag that is `true` while nothing is cleared.
const STILL_TO_DO: [&str; 16] = [
    "missing",
    "required",
    "needed",
    "blocking",
    "blocked",
    "pending",
    "outstanding",
    "open",
    "must",
    "still",
    "to",
    "before",
    "until",
    "awaiting",
    "remaining",
    "unmet",
];

/// Words in the name of a list of gates that are cleared.
const CLEARED_LIST: [&str; 15] = [
    "cleared",
    "complete",
    "completed",
    "done",
    "finished",
    "fulfilled",
    "granted",
    "met",
    "ok",
    "passed",
    "present",
    "resolved",
    "satisfied",
    "unlocked",
    "valid",
];

/// The words of a name, in lower case: `noLongerMissing`, `no_longer_missing`, `X-No-Longer-Missing`.
pub(crate) fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for character in name.chars() {
        if !character.is_alphanumeric() || character.is_uppercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(character.to_lowercase().filter(|it| it.is_alphanumeric()));
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether a list of gates under this name names those that are cleared.
pub(crate) fn is_cleared_list(name: &str) -> bool {
    let words = words_of(name);
    let has = |word: &str| words.iter().any(|one| one == word);
    let is_denied = has("not") || has("no");
    let is_cleared = CLEARED_LIST.iter().chain(&seed::OPEN_WORDS).any(|word| has(word));
    let is_to_do = STILL_TO_DO.iter().any(|word| has(word));
    if is_denied { is_to_do } else { is_cleared && !is_to_do }
}

/// A gate and its word, as an answer spells them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GateRow {
    pub(crate) gate: String,
    pub(crate) word: GateWord,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GateWord {
    Text(String),
    Flag(bool),
    /// Anything else, which says nothing.
    None,
}

/// What an answer says of a payload.
#[derive(Debug, Default)]
pub(crate) struct Denial {
    /// The flags that are there. One that is not `false` is an open claim, and told as that.
    flags: Vec<&'static str>,
    /// The rows of `gateStatuses`, where it is there.
    pub(crate) statuses: Option<Vec<GateRow>>,
    /// The gates of the fullest list of missing gates.
    pub(crate) missing: Vec<&'static str>,
    /// Whether that list is called missing gates. Then no other list speaks for it, however empty it is.
    is_named: bool,
}

impl Denial {
    pub(crate) fn read(root: &Node<'_>) -> Self {
        let mut denial = Self::default();
        denial.visit(root, "", 0);
        denial
    }

    pub(crate) fn has_flag(&self, flag: &str) -> bool {
        self.flags.contains(&flag)
    }

    /// Whether nothing of a denial is there.
    pub(crate) fn is_empty(&self) -> bool {
        self.flags.is_empty() && self.statuses.is_none() && self.missing.is_empty()
    }

    /// The gates of the ledger that `gateStatuses` gives no word.
    pub(crate) fn uncovered(&self) -> Vec<&'static str> {
        let rows = self.statuses.as_deref().unwrap_or_default();
        let has = |gate: &str| rows.iter().any(|row| row.word != GateWord::None && gate_of(&row.gate) == Some(gate));
        seed::ledger_gates().filter(|gate| !has(gate)).collect()
    }

    /// The gates that nothing has cleared, and that the list of missing gates leaves out.
    pub(crate) fn unlisted(&self) -> Vec<&'static str> {
        seed::ledger_gates().skip(1).filter(|gate| !self.missing.contains(gate)).collect()
    }

    fn take_list(&mut self, node: &Node<'_>, name: &str) {
        let lower = name.to_lowercase();
        let is_list = matches!(node.value, Value::Array(_)) && !is_cleared_list(name);
        let is_named = is_list && lower.contains("missing") && lower.contains("gate");
        let listed = listed_gates(node, name);
        let is_better = if is_named == self.is_named { listed.len() > self.missing.len() } else { is_named };
        if is_better {
            self.missing = listed;
            self.is_named = is_named;
        }
    }

    fn visit(&mut self, node: &Node<'_>, name: &str, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        self.take_list(node, name);
        for member in node.members() {
            if member.key == "gateStatuses" {
                let rows = gate_rows(&member.value);
                if self.statuses.as_ref().is_none_or(|known| known.len() < rows.len()) {
                    self.statuses = Some(rows);
                }
                continue;
            }
            self.flags.extend(seed::FLAGS.iter().copied().filter(|flag| member.key == *flag));
            self.visit(&member.value, &member.key, depth + 1);
        }
        for element in node.elements() {
            self.visit(element, "", depth + 1);
        }
    }
}

/// The gate of the specification that a name means: `publisher-verification`, `publisherVerification`, `Publisher identity`.
pub(crate) fn gate_of(name: &str) -> Option<&'static str> {
    let plain: String = name.chars().filter(|character| character.is_alphanumeric()).collect();
    let plain = plain.to_lowercase();
    seed::GATE_STEMS.iter().find(|(_, stems)| stems.iter().any(|stem| plain.contains(stem))).map(|(gate, _)| *gate)
}

/// The rows of `gateStatuses`: an object, a list of objects, or a list of pairs.
pub(crate) fn gate_rows(node: &Node<'_>) -> Vec<GateRow> {
    let of_members = node
        .members()
        .iter()
        .map(|member| GateRow { gate: member.key.clone().into_owned(), word: word_of(&member.value) });
    of_members.chain(node.elements().iter().filter_map(gate_row)).collect()
}

/// A gate and its word, as an element of a list.
pub(crate) fn gate_row(element: &Node<'_>) -> Option<GateRow> {
    if let [gate, word] = element.elements() {
        return Some(GateRow { gate: gate.as_str()?.to_owned(), word: word_of(word) });
    }
    if let [only] = element.members()
        && !GATE_MEMBERS.contains(&only.key.as_ref())
    {
        return Some(GateRow { gate: only.key.clone().into_owned(), word: word_of(&only.value) });
    }
    Some(GateRow { gate: text_at(element, &GATE_MEMBERS)?.to_owned(), word: word_of(element) })
}

pub(crate) fn word_of(node: &Node<'_>) -> GateWord {
    match &node.value {
        Value::String(text) if !text.trim().is_empty() => GateWord::Text(text.clone().into_owned()),
        Value::Bool(flag) => GateWord::Flag(*flag),
        Value::Integer(number) => GateWord::Text(number.to_string()),
        Value::Object(_) => {
            let word = WORD_MEMBERS.iter().find_map(|name| node.get(name));
            // Without a name that says so, the one flag of a row is its word.
            if let Some(word) = word.filter(|word| !matches!(word.value, Value::Object(_))) {
                return word_of(word);
            }
            let mut flags = node.members().iter().filter_map(|member| match member.value.value {
                Value::Bool(flag) => {
                    Some(flag != STILL_TO_DO.iter().any(|word| words_of(&member.key).iter().any(|one| one == word)))
                }
                Value::Null
                | Value::Integer(_)
                | Value::RefusedNumber
                | Value::String(_)
                | Value::Array(_)
                | Value::Object(_) => None,
            });
            flags.next().map_or(GateWord::None, GateWord::Flag)
        }
        Value::String(_) | Value::Null | Value::RefusedNumber | Value::Array(_) => GateWord::None,
    }
}

fn text_at<'n>(node: &'n Node<'_>, names: &[&str]) -> Option<&'n str> {
    names.iter().find_map(|name| node.get(name)?.as_str())
}

/// The gates that a list names.
fn listed_gates(list: &Node<'_>, name: &str) -> Vec<&'static str> {
    // What is required may be met: only what still is says that something is missing.
    let words = words_of(name);
    let has = |word: &str| words.iter().any(|one| one == word);
    let is_asked = (has("required") || has("requires")) && !has("still");
    if is_cleared_list(name) || is_asked {
        return Vec::new();
    }
    let named = list.elements().iter().filter_map(|element| {
        let is_cleared = matches!(gate_row(element), Some(GateRow { word: GateWord::Flag(true), .. }));
        let text = element.as_str().or_else(|| text_at(element, &GATE_MEMBERS)).filter(|_| !is_cleared)?;
        gate_of(text)
    });
    let mut gates: Vec<&'static str> = named.collect();
    gates.sort_unstable();
    gates.dedup();
    gates
}

#[cfg(test)]
mod tests {
    use svc_json::tree;

    use super::*;

    fn denial(body: &str) -> Denial {
        Denial::read(&tree::read(body.as_bytes()).unwrap().root)
    }

    const WORDS: [(&str, &str); 5] = [
        ("artifactHash", "recomputed"),
        ("Publisher identity", "unverified"),
        ("review_storage", "unstored"),
        ("signing", "unsigned"),
        ("install-policy", "not-applied"),
    ];

    #[test]
    fn gates_are_read_as_an_object_a_list_of_objects_and_a_list_of_pairs() {
        let of = |form: &dyn Fn(&str, &str) -> String| -> String {
            WORDS.iter().map(|(gate, word)| form(gate, word)).collect::<Vec<_>>().join(",")
        };
        let shapes = [
            format!("{{{}}}", of(&|gate, word| format!(r#""{gate}":"{word}""#))),
            format!("{{{}}}", of(&|gate, word| format!(r#""{gate}":{{"status":"{word}"}}"#))),
            format!("[{}]", of(&|gate, word| format!(r#"{{"gate":"{gate}","status":"{word}"}}"#))),
            format!("[{}]", of(&|gate, word| format!(r#"["{gate}","{word}"]"#))),
            format!("[{}]", of(&|gate, word| format!(r#"{{"{gate}":"{word}"}}"#))),
            format!("{{{}}}", of(&|gate, _| format!(r#""{gate}":{{"satisfied":false}}"#))),
        ];
        for shape in shapes {
            let read = denial(&format!(r#"{{"data":{{"gateStatuses":{shape}}}}}"#));
            assert_eq!(read.uncovered(), [""; 0], "{shape}");
            assert_eq!(read.statuses.unwrap().len(), WORDS.len(), "{shape}");
        }
        assert_eq!(denial(r#"{"gateStatuses":{}}"#).uncovered().len(), 5);
        assert_eq!(denial(r#"{"gateStatuses":{"artifact-hash":""}}"#).uncovered().len(), 5);
    }

    #[test]
    fn the_missing_gates_are_found_under_any_name_but_that_of_cleared_ones() {
        let list = r#"["publisher","review storage","artifactSigning","hostPolicy"]"#;
        for name in ["missingGates", "pending", "serverGates", "todo", "stillRequired", "mustBeCleared"] {
            assert_eq!(denial(&format!(r#"{{"{name}":{list}}}"#)).unlisted(), [""; 0], "{name}");
        }
        for name in ["clearedGates", "requiredGates", "passed"] {
            assert_eq!(denial(&format!(r#"{{"{name}":{list}}}"#)).unlisted().len(), 4, "{name}");
        }
        let emptied = format!(r#"{{"pending":{list},"missingGates":[],"blockers":{list}}}"#);
        assert_eq!(denial(&emptied).unlisted().len(), 4, "it says that nothing is missing");
        let objects = r#"{"missing":[{"gate":"publisher-verification"},{"name":"artifact-signing"}]}"#;
        assert_eq!(denial(objects).unlisted(), ["review-storage", "host-install-policy"]);
    }

    #[test]
    fn the_gates_of_the_project_mean_themselves() {
        for (gate, ..) in seed::LEDGER {
            assert_eq!(gate_of(gate), Some(gate));
        }
        assert_eq!(gate_of("malware scan"), None);
    }

    #[test]
    fn flags_are_found_at_any_depth_of_an_envelope() {
        let read = denial(r#"{"data":{"attributes":{"accepted":false,"Signed":false}},"installable":false}"#);
        assert!(read.has_flag("accepted") && !read.has_flag("signed") && read.has_flag("installable"));
        assert!(denial("{}").is_empty() && !read.is_empty());
    }
}
