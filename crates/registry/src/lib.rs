//! The registry API without a wire, fail-closed: it moves bytes, and core alone decides.
//!
//! Nothing here waits, opens a socket or a file, or knows a database. A host brings a request and gets an answer; whatever
//! it does with that answer, the guard has read it.
//!
//! | question | place |
//! |---|---|
//! | which routes are there? | [`routes`], one table |
//! | what must a request be before its body is read? | [`admission`] |
//! | what does a POST do? | [`evaluate`] |
//! | what is recorded before it is answered? | [`record`] |
//! | what is checked before an answer leaves? | [`guard`] |
//! | what do the GET routes serve? | [`documents`] |
//! | how is the API described? | [`openapi`] |
//! | all of it together? | [`registry`] |
//! | what is tested before a host opens its door? | [`self_test`] |

pub mod admission;
pub mod answer;
pub mod caller;
pub mod conditional;
pub mod documents;
pub mod evaluate;
pub mod guard;
pub mod openapi;
pub mod readiness;
pub mod record;
pub mod refusals;
pub mod registry;
pub mod request;
pub mod routes;
pub mod scope;
pub mod self_test;
