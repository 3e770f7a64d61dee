//! Walks over a script and hands each piece to those who look for one kind of fact.

use std::collections::HashSet;

use oxc_ast::{
    AstKind,
    ast::{
        AssignmentExpression, AssignmentTarget, Class, Expression, IdentifierReference, ImportExpression,
        StringLiteral, TaggedTemplateExpression, UnaryExpression, UnaryOperator,
    },
};
use oxc_ast_visit::Visit;
use oxc_span::{GetSpan as _, Span};

use super::inner::Path;
use super::inner::inner;
use super::path::member_name;
use super::{
    addresses,
    call::{Call, handed_on, listed, plain},
    dynamic, factories, libraries, markup,
    path::{as_member, extended},
    powers,
    scope::{Meaning, Scope},
    styles,
};
use crate::{nesting::Nesting, notes::Notes};

/// Reads one script.
pub(super) struct Reader<'a, 's> {
    scope: &'s Scope<'a, 's>,
    nesting: Nesting,
    pub(super) notes: Notes,
    /// Expressions that were looked at as part of a larger one.
    seen: HashSet<Span>,
    depth: usize,
    pub(super) deepest: usize,
}

impl<'a, 's> Reader<'a, 's> {
    pub(super) fn new(scope: &'s Scope<'a, 's>, nesting: Nesting) -> Self {
        Self { scope, nesting, notes: Notes::default(), seen: HashSet::new(), depth: 0, deepest: 0 }
    }
}

impl<'a> Visit<'a> for Reader<'a, '_> {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        match kind {
            AstKind::CallExpression(call) => self.call(call.span, &call.callee, plain(&call.arguments)),
            AstKind::NewExpression(made) => self.call(made.span, &made.callee, plain(&made.arguments)),
            AstKind::TaggedTemplateExpression(tagged) => self.tagged(tagged),
            AstKind::Class(class) => self.class(class),
            AstKind::AssignmentExpression(assigned) => self.assigned(assigned),
            AstKind::ImportExpression(import) => self.import(import),
            AstKind::ImportDeclaration(import) => self.module(&import.source),
            AstKind::ExportAllDeclaration(export) => self.module(&export.source),
            AstKind::ExportFromDeclaration(export) => self.module(&export.source),
            AstKind::StaticMemberExpression(member) => {
                self.member(member.span, &member.object, |_| Some(member.property.name.as_str()));
            }
            AstKind::ComputedMemberExpression(member) => {
                self.member(member.span, &member.object, |scope| {
                    let name = scope.text(&member.expression).whole()?;
                    Some(scope.allocator.alloc_str(&name))
                });
            }
            AstKind::IdentifierReference(name) => self.name(name),
            AstKind::UnaryExpression(unary) => self.unary(unary),
            AstKind::JSXOpeningElement(element) => {
                factories::jsx(self.scope, self.nesting, element, &mut self.notes);
            }
            _ => {}
        }
    }

    fn leave_node(&mut self, _: AstKind<'a>) {
        self.depth -= 1;
    }
}

impl<'a> Reader<'a, '_> {
    fn call(&mut self, span: Span, callee: &'a Expression<'a>, arguments: Vec<&'a Expression<'a>>) {
        let path = self.scope.path(callee);
        if path.is_some() {
            self.pass(callee);
        }
        let at = span.start as usize;
        if let (None, Some((callee, arguments))) = (&path, handed_on(callee, &arguments)) {
            self.look(&Call { at, path: Path::default(), callee, arguments: &arguments });
            return;
        }
        let path = path.unwrap_or_default();
        let arguments = listed(&path, arguments);
        self.look(&Call { at, path, callee, arguments: &arguments });
    }

    fn look(&mut self, call: &Call<'a, '_>) {
        dynamic::call(self.scope, call, &mut self.notes);
        addresses::call(self.scope, call, &mut self.notes);
        powers::call(self.scope, call, &mut self.notes);
        markup::call(self.scope, self.nesting, call, &mut self.notes);
        factories::call(self.scope, self.nesting, call, &mut self.notes);
        styles::call(self.scope, call, &mut self.notes);
        libraries::call(self.scope, call, &mut self.notes);
    }

    fn tagged(&mut self, tagged: &'a TaggedTemplateExpression<'a>) {
        let path = self.scope.path(&tagged.tag).unwrap_or_default();
        dynamic::tagged(tagged.span.start as usize, &path, &mut self.notes);
        factories::tagged(self.nesting, tagged, &mut self.notes);
    }

    fn class(&mut self, class: &'a Class<'a>) {
        if let Some(parent) = &class.heritage {
            dynamic::class(self.scope, class.span.start as usize, &parent.expression, &mut self.notes);
        }
    }

    /// Leaves out an expression, and what it is a member of, when the walk comes to it.
    fn pass(&mut self, expression: &'a Expression<'a>) {
        let mut passed = inner(expression);
        self.seen.insert(passed.span());
        while let Some(member) = as_member(passed) {
            self.seen.insert(member.span());
            passed = inner(member.object());
            self.seen.insert(passed.span());
        }
    }

    fn assigned(&mut self, assigned: &'a AssignmentExpression<'a>) {
        let value = &assigned.right;
        if let AssignmentTarget::AssignmentTargetIdentifier(name) = &assigned.left {
            if self.scope.name_path(name).is_some_and(|path| addresses::is_location(&path)) {
                addresses::navigate(self.scope, value, &mut self.notes);
            }
            return;
        }
        let Some(member) = assigned.left.as_member_expression() else { return };
        let Some(name) = member_name(self.scope, member) else { return };
        if self.scope.member_path(member).is_some_and(|path| addresses::is_location(&path)) {
            addresses::navigate(self.scope, value, &mut self.notes);
        } else {
            markup::set(self.scope, self.nesting, member.object(), &name, value, &mut self.notes);
        }
    }

    fn import(&mut self, import: &'a ImportExpression<'a>) {
        addresses::hand_on(self.scope, &import.source, &addresses::MODULE, &mut self.notes);
    }

    fn module(&mut self, source: &StringLiteral<'a>) {
        let (at, text) = (source.span.start as usize, source.value.as_str());
        // A bare name is looked up in an import map, and is no address.
        let is_address = text.starts_with(['.', '/', '\\']) || text.contains(':');
        if is_address {
            self.notes.address(at, &addresses::MODULE, text);
        }
    }

    /// A member, unless it was looked at as part of a larger expression; then what it is a member of was so too.
    fn member(&mut self, span: Span, object: &'a Expression<'a>, name: impl FnOnce(&Scope<'a, '_>) -> Option<&'a str>) {
        if self.seen.contains(&span) {
            self.seen.insert(inner(object).span());
            return;
        }
        if let Some((path, name)) = self.scope.path(object).zip(name(self.scope)) {
            self.mention(span, &extended(path, name));
            self.pass(object);
        }
    }

    fn name(&mut self, name: &IdentifierReference<'a>) {
        if self.seen.contains(&name.span) {
            return;
        }
        if let Meaning::Global = self.scope.meaning(name) {
            self.mention(name.span, &[name.name.as_str()]);
        }
    }

    fn mention(&mut self, span: Span, path: &[&str]) {
        let at = span.start as usize;
        powers::mention(at, path, &mut self.notes);
        dynamic::mention(at, path, &mut self.notes);
    }

    /// To ask for the type of a name is not to use it.
    fn unary(&mut self, unary: &'a UnaryExpression<'a>) {
        if unary.operator == UnaryOperator::Typeof
            && let Expression::Identifier(name) = inner(&unary.argument)
            && name.name == "eval"
        {
            self.seen.insert(name.span);
        }
    }
}
