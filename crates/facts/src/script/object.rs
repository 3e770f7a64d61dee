//! Objects that a script writes down.

use oxc_ast::ast::{Expression, ObjectExpression, ObjectPropertyKind};

/// The value of a member of an object that is written down, unless a later part could change it.
pub(super) fn value_of<'e, 'a>(object: &'e ObjectExpression<'a>, member: &str) -> Option<&'e Expression<'a>> {
    for property in object.properties.iter().rev() {
        // What is spread, and what bears a name that is not written down, may be the member too.
        let ObjectPropertyKind::ObjectProperty(property) = property else { return None };
        let name = property.key.static_name()?;
        if name == member {
            return Some(&property.value);
        }
    }
    None
}

/// The last value of a member that is written down, also where a later part could change it: what it may be, not what it is.
pub(super) fn written_value_of<'e, 'a>(object: &'e ObjectExpression<'a>, member: &str) -> Option<&'e Expression<'a>> {
    object.properties.iter().rev().find_map(|property| match property {
        ObjectPropertyKind::ObjectProperty(property) => {
            (property.key.static_name().as_deref() == Some(member)).then_some(&property.value)
        }
        ObjectPropertyKind::SpreadProperty(_) => None,
    })
}

/// Whether an object holds parts whose names are not written down.
pub(super) fn is_open(object: &ObjectExpression<'_>) -> bool {
    object.properties.iter().any(|property| match property {
        ObjectPropertyKind::ObjectProperty(property) => property.key.static_name().is_none(),
        ObjectPropertyKind::SpreadProperty(_) => true,
    })
}
