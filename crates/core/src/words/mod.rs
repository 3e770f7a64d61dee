//! Words of the wire and the tables behind them: codes, gates, stages, kinds, limits.

pub mod default_ignores;
pub mod example;
pub mod exit_code;
pub mod gate;
pub mod kind;
pub mod limits;
pub mod problem_code;
pub mod review_depth;
pub mod rule;
pub mod rule_code;
pub mod severity;
pub mod stage;
pub mod suggest;
pub mod verdict;
#[doc(hidden)]
pub mod wire;
