//! Why a tree gives no file table.

use std::io;

use svc_cli::files::{kind::SpecialKind, open::entry::OpenFault, size};

/// One reason to refuse a tree. Paths are relative to the root, with `/`, and not escaped.
#[derive(Debug)]
pub(crate) enum TreeFault {
    /// The patterns select more files than allowed; the walk stopped there.
    TooManyFiles { limit: usize },
    /// The selected files are larger together than allowed; hashing stopped there.
    PackageTooLarge { limit: u64 },
    /// One file is larger than allowed.
    FileTooLarge { path: String, limit: u64 },
    /// A pattern selects a link, pipe, socket or device, or would have to go through a linked folder.
    SpecialFile { path: String, what: SpecialKind },
    /// A pattern selects a name, or reaches a folder, that is not UTF-8.
    NotUtf8 {
        /// The path, with a replacement character for what is not text.
        path: String,
    },
    /// A pattern reaches into more nested folders than allowed.
    TooDeep {
        /// The first folder that is too deep.
        path: String,
        /// The most folders allowed above a file.
        limit: usize,
    },
    /// The file, or a folder above it, became another one between the walk and the end of the read.
    ChangedWhileReading { path: String },
    /// The system refused to open or read it.
    Unreadable {
        /// Which file or folder; `.` is the root.
        path: String,
        error: io::Error,
    },
}

impl TreeFault {
    /// Where, or `None` if the fault is about the whole package.
    pub(crate) fn path(&self) -> Option<&str> {
        match self {
            Self::TooManyFiles { .. } | Self::PackageTooLarge { .. } => None,
            Self::FileTooLarge { path, .. }
            | Self::SpecialFile { path, .. }
            | Self::NotUtf8 { path }
            | Self::TooDeep { path, .. }
            | Self::ChangedWhileReading { path }
            | Self::Unreadable { path, .. } => Some(path),
        }
    }

    /// What is wrong, to stand behind the path. Not escaped.
    pub(crate) fn message(&self) -> String {
        match self {
            Self::TooManyFiles { limit } => format!("the package has more than {limit} files"),
            Self::PackageTooLarge { limit } => {
                format!("the files of the package are larger than {} together", size::in_words(*limit))
            }
            Self::FileTooLarge { limit, .. } => {
                format!("is larger than {}", size::in_words(*limit))
            }
            Self::SpecialFile { what, .. } => format!("is {}, not a regular file", what.noun()),
            Self::NotUtf8 { .. } => "has a name that is not UTF-8".to_owned(),
            Self::TooDeep { limit, .. } => format!("lies deeper than {limit} folders"),
            Self::ChangedWhileReading { .. } => "changed while it was read".to_owned(),
            Self::Unreadable { error, .. } => format!("cannot be read: {error}"),
        }
    }

    /// A way out, where there is one.
    pub(crate) fn help(&self) -> Option<&'static str> {
        match self {
            Self::TooManyFiles { .. } | Self::PackageTooLarge { .. } => {
                Some("narrow the patterns in `files`, or leave files out in .svcignore")
            }
            Self::FileTooLarge { .. } => Some("make it smaller, or leave it out in .svcignore"),
            Self::SpecialFile { what: SpecialKind::Symlink, .. } => {
                Some("links are never followed: put a copy there, or leave it out in .svcignore")
            }
            Self::SpecialFile { what: SpecialKind::Fifo | SpecialKind::Socket | SpecialKind::Device, .. } => {
                Some("remove it, or leave it out in .svcignore")
            }
            Self::NotUtf8 { .. } => Some("rename it, or leave it out in .svcignore"),
            Self::TooDeep { .. } => Some("move the files up, or leave the folder out in .svcignore"),
            Self::ChangedWhileReading { .. } => Some("wait until the build has finished, then try again"),
            Self::Unreadable { .. } => Some("check its permissions"),
        }
    }

    /// The fault of something the walk has seen and that then did not open.
    pub(super) fn of_opening(path: String, fault: OpenFault) -> Self {
        match fault {
            OpenFault::Missing | OpenFault::Blocked => Self::ChangedWhileReading { path },
            OpenFault::Io(error) => Self::Unreadable { path, error },
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::TooManyFiles { .. } => 0,
            Self::PackageTooLarge { .. } => 1,
            Self::FileTooLarge { .. } => 2,
            Self::SpecialFile { .. } => 3,
            Self::NotUtf8 { .. } => 4,
            Self::TooDeep { .. } => 5,
            Self::ChangedWhileReading { .. } => 6,
            Self::Unreadable { .. } => 7,
        }
    }
}

/// The order of a report: the whole package first, then by path bytes.
pub(super) fn sort(faults: &mut [TreeFault]) {
    faults.sort_by(|a, b| (a.path(), a.rank()).cmp(&(b.path(), b.rank())));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_of_each() -> Vec<TreeFault> {
        let path = || "p".to_owned();
        vec![
            TreeFault::Unreadable { path: path(), error: io::ErrorKind::PermissionDenied.into() },
            TreeFault::ChangedWhileReading { path: path() },
            TreeFault::TooDeep { path: path(), limit: 32 },
            TreeFault::NotUtf8 { path: path() },
            TreeFault::SpecialFile { path: path(), what: SpecialKind::Fifo },
            TreeFault::FileTooLarge { path: path(), limit: 25 << 20 },
            TreeFault::PackageTooLarge { limit: 100 << 20 },
            TreeFault::TooManyFiles { limit: 10_000 },
        ]
    }

    #[test]
    fn every_fault_says_what_is_wrong_and_offers_a_way_out() {
        let mut faults = one_of_each();
        sort(&mut faults);
        let messages: Vec<String> = faults.iter().map(TreeFault::message).collect();
        assert_eq!(
            messages,
            [
                "the package has more than 10000 files",
                "the files of the package are larger than 100 MiB together",
                "is larger than 25 MiB",
                "is a named pipe, not a regular file",
                "has a name that is not UTF-8",
                "lies deeper than 32 folders",
                "changed while it was read",
                "cannot be read: permission denied",
            ]
        );
        assert!(faults.iter().all(|fault| fault.help().is_some()));
    }

    #[test]
    fn faults_are_ordered_by_path_bytes_after_those_of_the_whole_package() {
        let at = |path: &str| TreeFault::NotUtf8 { path: path.to_owned() };
        let mut faults = vec![at("b"), at("a/b"), at("Z"), TreeFault::TooManyFiles { limit: 1 }, at("a-b"), at("ä")];
        sort(&mut faults);
        let paths: Vec<_> = faults.iter().map(TreeFault::path).collect();
        assert_eq!(paths, [None, Some("Z"), Some("a-b"), Some("a/b"), Some("b"), Some("ä")]);
    }
}
