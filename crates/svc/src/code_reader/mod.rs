//! Code is parsed by children of this program, each of which may die without harm: a parser can overflow its stack, which
//! nothing catches.

mod budget;
pub(crate) mod child;
mod frame;
pub(crate) mod pool;
