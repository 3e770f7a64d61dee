//! A suggested fix: the one change of a source text that a finding leaves open.

use svc_json::fault::Span;

/// How to fix what is marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SuggestedFix {
    /// By this JSON text in its place.
    Replace(String),
    /// By one more member of the marked object: its name and value.
    AddMember(String),
    /// By taking the marked element out of its list.
    RemoveElement,
}

/// A change of a source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced; nothing, where text is put in between.
    pub span: Span,
    /// What takes its place.
    pub text: String,
}

impl SuggestedFix {
    /// The change of the source that fixes what is marked there. Nothing, where the source is not what was read.
    #[must_use]
    pub fn edit(&self, source: &str, marked: Span) -> Option<Edit> {
        match self {
            Self::Replace(text) => Some(Edit { span: marked, text: text.clone() }),
            Self::AddMember(member) => add_member(source, marked, member),
            Self::RemoveElement => remove_element(source, marked),
        }
    }

    /// What would stand in place of what is marked. Nothing for a change that reaches beyond it.
    #[must_use]
    pub fn replacement(&self, source: &str, marked: Span) -> Option<String> {
        let Edit { span, text } = self.edit(source, marked)?;
        let within = marked.start <= span.start && span.end <= marked.end;
        let (before, after) = (source.get(marked.start..span.start)?, source.get(span.end..marked.end)?);
        within.then(|| format!("{before}{text}{after}"))
    }
}

/// Puts a member behind the last one, laid out as the first is.
fn add_member(source: &str, object: Span, member: &str) -> Option<Edit> {
    let inside = source.get(object.start..object.end)?.strip_prefix('{')?.strip_suffix('}')?;
    let members = inside.trim_end();
    let at = object.start + 1 + members.len();
    let blanks = members.len() - members.trim_start().len();
    let text = match members.get(..blanks)? {
        "" if members.is_empty() => member.to_owned(),
        "" => format!(", {member}"),
        layout => format!(",{layout}{member}"),
    };
    Some(Edit { span: Span { start: at, end: at }, text })
}

/// Takes an element out together with the comma before it.
fn remove_element(source: &str, element: Span) -> Option<Edit> {
    let before = source.get(..element.start)?.trim_end().strip_suffix(',')?;
    Some(Edit { span: Span { start: before.len(), end: element.end }, text: String::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(fix: &SuggestedFix, source: &str, marked: &str) -> Option<String> {
        let start = source.rfind(marked).unwrap();
        let Edit { span, text } = fix.edit(source, Span { start, end: start + marked.len() })?;
        Some(format!("{}{text}{}", &source[..span.start], &source[span.end..]))
    }

    #[test]
    fn a_member_is_laid_out_as_those_before_it() {
        let fix = SuggestedFix::AddMember("\"b\": 2".to_owned());
        for (object, expected) in [
            ("{}", "{\"b\": 2}"),
            ("{  }", "{\"b\": 2  }"),
            ("{\"a\":1}", "{\"a\":1, \"b\": 2}"),
            ("{ \"a\": 1 }", "{ \"a\": 1, \"b\": 2 }"),
            ("{\n  \"a\": 1\n}", "{\n  \"a\": 1,\n  \"b\": 2\n}"),
        ] {
            assert_eq!(fixed(&fix, object, object).unwrap(), expected);
        }
        assert_eq!(fixed(&fix, "[]", "[]"), None);
    }

    #[test]
    fn an_element_leaves_with_the_comma_before_it() {
        assert_eq!(fixed(&SuggestedFix::RemoveElement, "[1, 2, 3]", "2").unwrap(), "[1, 3]");
        assert_eq!(fixed(&SuggestedFix::RemoveElement, "[1,\n  3\n]", "3").unwrap(), "[1\n]");
        assert_eq!(fixed(&SuggestedFix::RemoveElement, "[1]", "1"), None);
    }

    #[test]
    fn a_change_that_reaches_beyond_what_is_marked_is_no_replacement_of_it() {
        let whole = Span { start: 0, end: 10 };
        let added = SuggestedFix::AddMember("\"b\": 2".to_owned()).replacement("{ \"a\": 1 }", whole);
        assert_eq!(added.unwrap(), "{ \"a\": 1, \"b\": 2 }");
        assert_eq!(SuggestedFix::RemoveElement.replacement("[1, 2]", Span { start: 4, end: 5 }), None);
    }
}
