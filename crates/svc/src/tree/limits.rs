//! How much a package may hold.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TreeLimits {
    pub(crate) file_bytes: u64,
    pub(crate) package_bytes: u64,
    pub(crate) files: usize,
    /// The most folders above a file.
    pub(crate) folder_depth: usize,
}
