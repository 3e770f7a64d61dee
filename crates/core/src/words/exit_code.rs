//! The exit codes of every command.

/// The process exit code that a finding asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The finding does not fail the run.
    None,
    /// Findings.
    Findings,
    /// A digest or the chain is broken.
    Digest,
    /// A fail-open claim.
    OpenClaim,
}

macro_rules! exit_codes {
    ($($variant:ident = $code:literal, $meaning:literal;)+) => {
        /// An exit code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ExitCode {
            $(#[doc = $meaning] $variant,)+
        }

        impl ExitCode {
            /// Every code, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The number.
            #[must_use]
            pub const fn code(self) -> u8 {
                match self { $(Self::$variant => $code,)+ }
            }

            /// What it means.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)+ }
            }
        }
    };
}

exit_codes! {
    Valid = 0, "valid; the outcome is closed as it must be";
    Findings = 1, "error findings (or others that were denied)";
    Usage = 2, "usage or configuration";
    InputOutput = 3, "input or output";
    Digest = 4, "digest mismatch or broken chain";
    Drift = 5, "drift: a generated file is stale";
    Registry = 6, "the registry is unreachable or answered 5xx";
    OpenClaim = 7, "a fail-open claim was seen; nothing masks it";
    Bug = 70, "a bug in svc";
}

impl ExitCode {
    /// The code that one finding asks for.
    #[must_use]
    pub const fn from_exit(exit: Exit) -> Self {
        match exit {
            Exit::None => Self::Valid,
            Exit::Findings => Self::Findings,
            Exit::Digest => Self::Digest,
            Exit::OpenClaim => Self::OpenClaim,
        }
    }

    /// The heavier of two codes: 7 > 4 > 1 > 6 > 5 > 3.
    #[must_use]
    pub fn worse(self, other: Self) -> Self {
        if other.weight() > self.weight() { other } else { self }
    }

    const fn weight(self) -> u8 {
        match self {
            Self::Valid => 0,
            Self::InputOutput => 1,
            Self::Drift => 2,
            Self::Registry => 3,
            Self::Findings => 4,
            Self::Digest => 5,
            Self::Usage => 6,
            Self::Bug => 7,
            Self::OpenClaim => 8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_weighs_more_is_never_masked() {
        let order = [7, 4, 1, 6, 5, 3, 0];
        let of = |number: u8| *ExitCode::ALL.iter().find(|code| code.code() == number).unwrap();
        for (index, heavy) in order.iter().enumerate() {
            for light in &order[index..] {
                assert_eq!(of(*heavy).worse(of(*light)).code(), *heavy);
                assert_eq!(of(*light).worse(of(*heavy)).code(), *heavy);
            }
        }
    }
}
