//! Logs in folders, and the careful reading and writing of files.
//!
//! | question | place |
//! |---|---|
//! | how is a file read that an operator names? | [`regular_file`] |
//! | how are files written, without following a link? | [`plain_files`] |
//! | what lies in the folder of a log? | [`log_folder`], read by [`folder_files`] |
//! | how is a log copied that others serve? | [`mirror`](mod@mirror) |

pub mod folder_files;
pub mod log_folder;
pub mod mirror;
pub mod plain_files;
pub mod regular_file;
