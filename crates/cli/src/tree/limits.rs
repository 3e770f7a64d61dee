//! How much a package may hold.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TreeLimits {
    /// The most bytes of one file.
    pub(crate) file_bytes: u64,
    /// The most bytes of all files together.
    pub(crate) package_bytes: u64,
    /// The most files.
    pub(crate) files: usize,
    /// The most folders above a file.
    pub(crate) folder_depth: usize,
}
