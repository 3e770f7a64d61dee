//! What proves something about a log, checked: trees, signed states, receipts, cosignatures, policies and evidence.
//!
//! | question | place |
//! |---|---|
//! | what is hashed? | [`tree`], over the bytes of records that [`record_bytes`] reads |
//! | which texts are signed, and by whom? | [`signed_text`]: these and no others |
//! | whose signature is it? | [`public_key`] of a log, [`witness_public_key`] of a witness |
//! | is this the signed state of a log? | [`checkpoint`], inside a signed [`note`] |
//! | does a receipt prove its record? | [`receipt`], with the answer around it in [`recorded_answer`]; for other tools [`tlog_proof`] |
//! | who else saw a state, and who must have? | [`cosignature`], demanded by a [`policy`] |
//! | where does a log begin once it was pruned? | [`minimum_index`] |
//! | how does a log come to its next key? | [`hand_over`] |
//! | how is a whole log checked? | [`audit`], over [`source`]s such as [`tiles`]; read on from an earlier state by [`follow`] |
//! | has a log that is served grown? | [`growth`], by the hashes of [`spans`] |
//! | what shows a stranger that it has not? | [`evidence`], out of what was read by [`suspicion`] |
//! | what can go wrong? | [`fault`] |
//!
//! This crate verifies. It holds no secret key and reaches no database, no file and no network. What a record is, is core's word.

pub mod audit;
pub mod checkpoint;
pub mod cosignature;
pub mod evidence;
pub mod fault;
pub mod follow;
pub mod growth;
pub mod hand_over;
pub mod minimum_index;
pub mod note;
pub mod policy;
pub mod public_key;
pub mod receipt;
pub mod record_bytes;
pub mod recorded_answer;
pub mod signed_text;
pub mod source;
pub mod spans;
pub mod suspicion;
pub mod tiles;
pub mod tlog_proof;
pub mod tree;
pub mod witness_public_key;
