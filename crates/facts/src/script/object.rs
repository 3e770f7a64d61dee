//! Objects that a script writes down.

use oxc_ast::ast::{Expression, ObjectExpression, ObjectPropertyKind};

/// The value of a member of an object that is written down, unless a later part could change it.
pub(super) fn value_of<'e, 'a>(object: &'e ObjectExpression<'a>, member: &str) -> Option<&'e Expression<'a>> {
    object.properties.iter().rev().find_map(|property| match property {
        ObjectPropertyKind::ObjectProperty(property) => {
            let name = property.key.static_name().filter(|_| !property.computed || property.key.is_expression());
            (name.as_deref() == Some(member)).then_some(&property.value)
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
