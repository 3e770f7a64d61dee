//! A bundle in the forms that other tools read. No form says more than the bundle: nothing is signed, and every place for a
//! remark says no.

pub mod cyclonedx;
pub mod exported;
pub mod in_toto;
pub mod oci;
