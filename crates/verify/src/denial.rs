//! Reads a denial in any shape that the specification allows.
//!
//! The specification names `accepted`, `signed`, `installable` and `gateStatuses`, and asks for a list of the gates that are
//! missing. It gives no name for that list, no spelling of the gates, no envelope and no status code (4.2, 7). So the
//! members may be nested, the gates may be an object, a list of objects or a list of pairs, and are known by their words.

use svc_json::tree::{Node, Value};

use crate::{
    gates::{self, GateRow, GateWord},
    seed,
    vocabulary::{self, Says},
};

/// How deep an envelope may be.
const MAX_DEPTH: usize = 4;

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
        let has = |gate: &str| rows.iter().any(|row| row.word != GateWord::None && row.known == Some(gate));
        seed::ledger_gates().filter(|gate| !has(gate)).collect()
    }

    /// The gates that nothing has cleared, and that the list of missing gates leaves out.
    pub(crate) fn unlisted(&self) -> Vec<&'static str> {
        seed::ledger_gates().skip(1).filter(|gate| !self.missing.contains(gate)).collect()
    }

    fn take_list(&mut self, node: &Node<'_>, name: &str) {
        let lower = name.to_lowercase();
        let is_list = matches!(node.value, Value::Array(_) | Value::Object(_));
        let is_named =
            is_list && vocabulary::may_list_missing(name) && lower.contains("missing") && lower.contains("gate");
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
                let rows = gates::rows(&member.value);
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

/// The gates that a list names as missing. An object names them by its members.
fn listed_gates(list: &Node<'_>, name: &str) -> Vec<&'static str> {
    if !vocabulary::may_list_missing(name) {
        return Vec::new();
    }
    let of_element = |element: &Node<'_>| match element.as_str() {
        Some(text) => gates::gate_of(text),
        None => gates::of_object(element).filter(|row| row.yes.is_none() && row.word != GateWord::Flag(true))?.known,
    };
    let is_map = vocabulary::list_says(name) == Says::No;
    let members = list.members().iter().filter(|member| is_map && !vocabulary::is_flag(&member.key));
    let of_members = members.filter_map(|member| gates::named(&member.key));
    let mut gates: Vec<&'static str> = list.elements().iter().filter_map(of_element).chain(of_members).collect();
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
            format!("[{}]", of(&|gate, word| format!(r#"{{"gateName":"{gate}","localStatus":"{word}"}}"#))),
            format!("[{}]", of(&|gate, word| format!(r#"{{"slug":"{gate}","current":"{word}"}}"#))),
            format!("[{}]", of(&|gate, word| format!(r#""{gate}: {word}""#))),
            format!("{{\"gates\":[{}]}}", of(&|gate, word| format!(r#"{{"gate":"{gate}","status":"{word}"}}"#))),
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
        for name in ["clearedGates", "requiredGates", "passed", "waivedGates", "formerlyMissing", "closedGates"] {
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
            assert_eq!(gates::gate_of(gate), Some(gate));
        }
        assert_eq!(gates::gate_of("malware scan"), None);
    }

    #[test]
    fn flags_are_found_at_any_depth_of_an_envelope() {
        let read = denial(r#"{"data":{"attributes":{"accepted":false,"Signed":false}},"installable":false}"#);
        assert!(read.has_flag("accepted") && !read.has_flag("signed") && read.has_flag("installable"));
        assert!(denial("{}").is_empty() && !read.is_empty());
    }
}
