//! What a name stands for, where the script gives it one value and no other.

use std::collections::{HashMap, HashSet};

use oxc_ast::{
    AstKind,
    ast::{
        Argument, AssignmentExpression, AssignmentOperator, AssignmentTarget, BindingPattern, CallExpression,
        Expression, ForOfStatement, ForStatementLeft, FormalParameter, FormalParameters, FunctionBody,
        IdentifierReference, MemberExpression, Program, Statement, VariableDeclarator,
    },
};
use oxc_ast_visit::Visit;
use oxc_semantic::{Scoping, SymbolId};

use super::inner::inner;

/// The value of a name: an expression, and the member of it where the name was taken out of an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Alias<'a> {
    pub(super) value: &'a Expression<'a>,
    pub(super) member: Option<&'a str>,
}

/// The names of one script.
#[derive(Debug, Default)]
pub(super) struct Names<'a> {
    aliases: HashMap<SymbolId, Alias<'a>>,
    /// Names that stand for each element of a list.
    each: HashMap<SymbolId, &'a Expression<'a>>,
    firsts: HashMap<SymbolId, First<'a>>,
    /// The properties and attributes that are set on a name, in lowercase, where that says what kind of element it is.
    settings: HashMap<SymbolId, Vec<(String, &'a Expression<'a>)>>,
    /// Names with more such values than are kept.
    often_set: HashSet<SymbolId>,
    /// How often a name is only used to set something of it, or to put it into a page.
    plain_uses: HashMap<SymbolId, usize>,
    /// The members of classes, by their names: nothing for one that is given more than one value.
    fields: HashMap<String, Option<&'a Expression<'a>>>,
    /// Functions that do nothing but give back a value.
    results: HashMap<SymbolId, &'a Expression<'a>>,
}

/// The value that the body of a function gives back, when it does nothing else.
pub(super) fn result_of<'a>(body: &'a FunctionBody<'a>) -> Option<&'a Expression<'a>> {
    match body.statements.as_slice() {
        [Statement::ReturnStatement(only)] => only.argument.as_ref(),
        _ => None,
    }
}

/// Properties and attributes that say what kind an element is of.
const KINDS: &[&str] = &["rel", "type"];

/// More values than anybody gives such a property; each is looked at wherever the element is used.
const MOST_SETTINGS: usize = 16;

/// Methods that put an element into a page.
const INSERTIONS: &[&str] =
    &["after", "append", "appendChild", "before", "insertBefore", "prepend", "replaceChildren", "replaceWith"];

/// What a name has at first.
#[derive(Clone, Copy, Debug)]
pub(super) enum First<'a> {
    /// More is put behind it: `address += query`.
    Beginning(&'a Expression<'a>),
    /// Whoever calls the function may give another: `(address = "…") => …`.
    Default(&'a Expression<'a>),
}

impl<'a> Names<'a> {
    /// The names of a program.
    pub(super) fn of(program: &'a Program<'a>, scoping: &Scoping) -> Self {
        let mut collector = Collector {
            scoping,
            names: Self::default(),
            writes: HashMap::new(),
            additions: HashMap::new(),
            changed: HashSet::new(),
        };
        collector.visit_program(program);
        let Collector { mut names, writes, additions, changed, .. } = collector;
        let has_members =
            |value: &Expression<'_>| matches!(value, Expression::ObjectExpression(_) | Expression::ArrayExpression(_));
        names.aliases.retain(|symbol, alias| !(changed.contains(symbol) && has_members(alias.value)));
        names.firsts.retain(|symbol, first| match first {
            First::Beginning(_) => {
                let references = scoping.get_resolved_references(*symbol);
                additions.get(symbol) == Some(&references.filter(|reference| reference.is_write()).count())
            }
            First::Default(_) => true,
        });
        for (symbol, write) in writes {
            if let Some(value) = write {
                names.aliases.entry(symbol).or_insert(Alias { value, member: None });
            }
        }
        names.shorten(scoping);
        names
    }

    /// Lets every name stand for what it leads to at last, however many names stand between.
    fn shorten(&mut self, scoping: &Scoping) {
        let next = |alias: &Alias<'a>| match (inner(alias.value), alias.member) {
            (Expression::Identifier(name), None) => scoping.get_reference(name.reference_id.get()?).symbol_id(),
            _ => None,
        };
        let mut symbols: Vec<SymbolId> = self.aliases.keys().copied().collect();
        symbols.sort_unstable();
        let mut done: HashSet<SymbolId> = HashSet::new();
        for symbol in symbols {
            let mut passed = HashSet::from([symbol]);
            let mut last = self.aliases.get(&symbol).copied();
            while let Some(further) = last.as_ref().and_then(next) {
                // Names that lead back to themselves lead nowhere.
                let Some(alias) = self.aliases.get(&further).copied().filter(|_| passed.insert(further)) else { break };
                last = Some(alias);
                if done.contains(&further) {
                    break;
                }
            }
            done.extend(&passed);
            self.aliases.extend(passed.into_iter().filter_map(|name| Some((name, last?))));
        }
    }

    /// The list that a name stands for each element of.
    pub(super) fn each(&self, symbol: SymbolId) -> Option<&'a Expression<'a>> {
        self.each.get(&symbol).copied()
    }

    /// What a name has at first.
    pub(super) fn first(&self, symbol: SymbolId) -> Option<First<'a>> {
        self.firsts.get(&symbol).copied()
    }

    /// The values that a property or attribute of a name is given; nothing when there are more than are kept.
    pub(super) fn settings(&self, symbol: SymbolId, property: &str) -> Option<Vec<&'a Expression<'a>>> {
        let all = self.settings.get(&symbol).into_iter().flatten();
        let values = all.filter(|(name, _)| name == property).map(|(_, value)| *value).collect();
        (!self.often_set.contains(&symbol)).then_some(values)
    }

    /// How often a name is only used to set something of it, or to put it into a page.
    pub(super) fn plain_uses(&self, symbol: SymbolId) -> usize {
        self.plain_uses.get(&symbol).copied().unwrap_or_default()
    }

    /// The one value of a member of some class; the name of a private one begins with `#`.
    pub(super) fn field(&self, name: &str) -> Option<&'a Expression<'a>> {
        self.fields.get(name).copied().flatten()
    }

    /// What a function gives back that does nothing else.
    pub(super) fn result(&self, symbol: SymbolId) -> Option<&'a Expression<'a>> {
        self.results.get(&symbol).copied()
    }

    /// The one value of a name.
    pub(super) fn get(&self, symbol: SymbolId) -> Option<Alias<'a>> {
        self.aliases.get(&symbol).copied()
    }
}

struct Collector<'a, 's> {
    scoping: &'s Scoping,
    names: Names<'a>,
    /// Names that are declared without a value, with what is written to them once.
    writes: HashMap<SymbolId, Option<&'a Expression<'a>>>,
    /// How often something is put behind what a name has.
    additions: HashMap<SymbolId, usize>,
    /// Names of objects and lists whose members are set later: what was written down at first may not hold.
    changed: HashSet<SymbolId>,
}

/// Methods that change a list.
const CHANGES: &[&str] = &["fill", "pop", "push", "reverse", "shift", "sort", "splice", "unshift"];

impl<'a> Visit<'a> for Collector<'a, '_> {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "of two hundred kinds of syntax these give a name its value"
        )]
        match kind {
            AstKind::VariableDeclarator(declared) => self.declared(declared),
            AstKind::AssignmentExpression(assigned) => self.assigned(assigned),
            AstKind::CallExpression(call) => self.called(call),
            AstKind::ForOfStatement(each) => self.repeated(each),
            AstKind::FormalParameter(parameter) => self.parameter(parameter),
            AstKind::Function(function) => {
                let symbol = function.id.as_ref().and_then(|name| name.symbol_id.get());
                let symbol = symbol.filter(|symbol| !self.scoping.symbol_is_mutated(*symbol));
                let result = function.body.as_deref().and_then(result_of).filter(|_| !function.generator);
                self.names.results.extend(symbol.zip(result));
            }
            AstKind::PropertyDefinition(field) => {
                if let (Some(name), Some(value)) = (field.key.name(), &field.value) {
                    let mark = if field.key.is_private_identifier() { "#" } else { "" };
                    self.field(format!("{mark}{name}"), Some(value));
                }
            }
            _ => {}
        }
    }
}

impl<'a> Collector<'a, '_> {
    fn declared(&mut self, declared: &'a VariableDeclarator<'a>) {
        let Some(value) = &declared.init else { return };
        self.bind(&declared.id, Alias { value, member: None });
        if let BindingPattern::BindingIdentifier(name) = &declared.id
            && let Some(symbol) = name.symbol_id.get().filter(|symbol| self.scoping.symbol_is_mutated(*symbol))
        {
            self.names.firsts.insert(symbol, First::Beginning(value));
        }
    }

    fn repeated(&mut self, each: &'a ForOfStatement<'a>) {
        if let ForStatementLeft::VariableDeclaration(declared) = &each.left
            && let Some(declared) = declared.declarations.first()
        {
            self.bind_each(&declared.id, &each.right);
        }
    }

    fn bind_each(&mut self, pattern: &'a BindingPattern<'a>, list: &'a Expression<'a>) {
        if let BindingPattern::BindingIdentifier(name) = pattern
            && let Some(symbol) = name.symbol_id.get().filter(|symbol| !self.scoping.symbol_is_mutated(*symbol))
        {
            self.names.each.insert(symbol, list);
        }
    }

    fn parameter(&mut self, parameter: &'a FormalParameter<'a>) {
        if let (BindingPattern::BindingIdentifier(name), Some(value)) = (&parameter.pattern, &parameter.initializer)
            && let Some(symbol) = name.symbol_id.get().filter(|symbol| !self.scoping.symbol_is_mutated(*symbol))
        {
            self.names.firsts.insert(symbol, First::Default(value));
        }
    }

    fn bind(&mut self, pattern: &'a BindingPattern<'a>, alias: Alias<'a>) {
        match pattern {
            BindingPattern::BindingIdentifier(name) => {
                if let Some(symbol) = name.symbol_id.get().filter(|symbol| !self.scoping.symbol_is_mutated(*symbol)) {
                    self.names.aliases.insert(symbol, alias);
                }
            }
            BindingPattern::ObjectPattern(object) if alias.member.is_none() => {
                for property in &object.properties {
                    if let Some(std::borrow::Cow::Borrowed(member)) = property.key.static_name() {
                        self.bind(&property.value, Alias { member: Some(member), ..alias });
                    }
                }
            }
            BindingPattern::AssignmentPattern(with_default) => self.bind(&with_default.left, alias),
            BindingPattern::ObjectPattern(_) | BindingPattern::ArrayPattern(_) => {}
        }
    }

    fn assigned(&mut self, assigned: &'a AssignmentExpression<'a>) {
        if let Some(member) = assigned.left.as_member_expression() {
            self.change(member.object());
            self.assigned_field(member, assigned);
            if let Some(property) = member.static_property_name() {
                self.set(member.object(), property, &assigned.right);
            }
        }
        let AssignmentTarget::AssignmentTargetIdentifier(name) = &assigned.left else { return };
        let Some(symbol) = self.symbol(name) else { return };
        if assigned.operator == AssignmentOperator::Addition {
            *self.additions.entry(symbol).or_default() += 1;
        }
        let value = (assigned.operator == AssignmentOperator::Assign).then_some(&assigned.right);
        self.writes.entry(symbol).and_modify(|known| *known = None).or_insert(value);
    }

    fn symbol(&self, name: &IdentifierReference<'a>) -> Option<SymbolId> {
        self.scoping.get_reference(name.reference_id.get()?).symbol_id()
    }

    /// Notes that a member of an object is given a value: of its own class's only where the object is `this`.
    fn assigned_field(&mut self, member: &'a MemberExpression<'a>, assigned: &'a AssignmentExpression<'a>) {
        let is_own = matches!(member.object(), Expression::ThisExpression(_));
        let is_plain = assigned.operator == AssignmentOperator::Assign;
        let value = Some(&assigned.right).filter(|_| is_own && is_plain);
        match member {
            MemberExpression::PrivateFieldExpression(private) => self.field(format!("#{}", private.field.name), value),
            MemberExpression::StaticMemberExpression(member) => self.field(member.property.name.to_string(), value),
            MemberExpression::ComputedMemberExpression(_) => {}
        }
    }

    fn field(&mut self, name: String, value: Option<&'a Expression<'a>>) {
        self.names.fields.entry(name).and_modify(|known| *known = None).or_insert(value);
    }

    /// Notes a property or attribute that is set on a name.
    fn set(&mut self, object: &'a Expression<'a>, property: &str, value: &'a Expression<'a>) {
        let Expression::Identifier(name) = object else { return };
        let Some(symbol) = self.symbol(name) else { return };
        *self.names.plain_uses.entry(symbol).or_default() += 1;
        let property = property.to_ascii_lowercase();
        if KINDS.contains(&property.as_str()) {
            let settings = self.names.settings.entry(symbol).or_default();
            if settings.len() < MOST_SETTINGS {
                settings.push((property, value));
            } else {
                self.names.often_set.insert(symbol);
            }
        }
    }

    /// Notes attributes that are set by a call, and elements that are put into a page.
    fn called_with_element(&mut self, call: &'a CallExpression<'a>) {
        let Expression::StaticMemberExpression(member) = &call.callee else { return };
        let method = member.property.name.as_str();
        if method == "setAttribute"
            && let [Argument::StringLiteral(name), value] = call.arguments.as_slice()
            && let Some(value) = value.as_expression()
        {
            self.set(&member.object, name.value.as_str(), value);
        }
        for argument in call.arguments.iter().filter(|_| INSERTIONS.contains(&method)) {
            if let Argument::Identifier(name) = argument
                && let Some(symbol) = self.symbol(name)
            {
                *self.names.plain_uses.entry(symbol).or_default() += 1;
            }
        }
    }

    /// Notes that something of an object changes, however deep in it.
    fn change(&mut self, mut object: &'a Expression<'a>) {
        while let Some(member) = object.as_member_expression() {
            object = member.object();
        }
        if let Expression::Identifier(name) = object
            && let Some(symbol) = self.symbol(name)
        {
            self.changed.insert(symbol);
        }
    }

    /// A function that is called with each element of a list: `list.map((element) => …)`.
    fn called_with_each(&mut self, call: &'a CallExpression<'a>) {
        let Expression::StaticMemberExpression(member) = &call.callee else { return };
        if !matches!(member.property.name.as_str(), "flatMap" | "forEach" | "map") {
            return;
        }
        let parameters = match call.arguments.first() {
            Some(Argument::ArrowFunctionExpression(function)) => &function.params,
            Some(Argument::FunctionExpression(function)) => &function.params,
            Some(_) | None => return,
        };
        if let Some(parameter) = parameters.items.first() {
            self.bind_each(&parameter.pattern, &member.object);
        }
    }

    /// A function that is called where it stands gives its parameters their values.
    fn called(&mut self, call: &'a CallExpression<'a>) {
        self.called_with_each(call);
        self.called_with_element(call);
        if let Expression::StaticMemberExpression(member) = &call.callee
            && CHANGES.contains(&member.property.name.as_str())
        {
            self.change(&member.object);
        }
        let parameters: Option<&'a FormalParameters<'a>> = match &call.callee {
            Expression::FunctionExpression(function) => Some(&function.params),
            Expression::ArrowFunctionExpression(function) => Some(&function.params),
            _ => None,
        };
        let Some(parameters) = parameters else { return };
        for (parameter, argument) in parameters.items.iter().zip(&call.arguments) {
            if let Some(value) = Argument::as_expression(argument) {
                self.bind(&parameter.pattern, Alias { value, member: None });
            }
        }
    }
}
