//! The codes of the rules. Stable, and never used again for another rule; the rows are in `rules/`.

use std::fmt;

use serde::{Serialize, Serializer};

macro_rules! rule_codes {
    ($($variant:ident = $code:literal,)+) => {
        /// The code of a rule of this build.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum RuleCode {
            $($variant,)+
        }

        impl RuleCode {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $code,)+
                }
            }
        }
    };
}

rule_codes! {
    B001 = "SVC-B001",
    B002 = "SVC-B002",
    B003 = "SVC-B003",
    B004 = "SVC-B004",
    B005 = "SVC-B005",
    B006 = "SVC-B006",
    B007 = "SVC-B007",
    B008 = "SVC-B008",
    B009 = "SVC-B009",
    B010 = "SVC-B010",
    B011 = "SVC-B011",
    B012 = "SVC-B012",
    B013 = "SVC-B013",
    B014 = "SVC-B014",
    B015 = "SVC-B015",
    B016 = "SVC-B016",
    B017 = "SVC-B017",
    D001 = "SVC-D001",
    D002 = "SVC-D002",
    D003 = "SVC-D003",
    D004 = "SVC-D004",
    D005 = "SVC-D005",
    D006 = "SVC-D006",
    F001 = "SVC-F001",
    F002 = "SVC-F002",
    F003 = "SVC-F003",
    F004 = "SVC-F004",
    F005 = "SVC-F005",
    F006 = "SVC-F006",
    F007 = "SVC-F007",
    F008 = "SVC-F008",
    F009 = "SVC-F009",
    F010 = "SVC-F010",
    F011 = "SVC-F011",
    F012 = "SVC-F012",
    F013 = "SVC-F013",
    F014 = "SVC-F014",
    F015 = "SVC-F015",
    F016 = "SVC-F016",
    F017 = "SVC-F017",
    F018 = "SVC-F018",
    F019 = "SVC-F019",
    F020 = "SVC-F020",
    F021 = "SVC-F021",
    F022 = "SVC-F022",
    F023 = "SVC-F023",
    J001 = "SVC-J001",
    J002 = "SVC-J002",
    J003 = "SVC-J003",
    J004 = "SVC-J004",
    J005 = "SVC-J005",
    J006 = "SVC-J006",
    J007 = "SVC-J007",
    J008 = "SVC-J008",
    L001 = "SVC-L001",
    L003 = "SVC-L003",
    L004 = "SVC-L004",
    L006 = "SVC-L006",
    L008 = "SVC-L008",
    L009 = "SVC-L009",
    L010 = "SVC-L010",
    L011 = "SVC-L011",
    M001 = "SVC-M001",
    M002 = "SVC-M002",
    M003 = "SVC-M003",
    M004 = "SVC-M004",
    M005 = "SVC-M005",
    M010 = "SVC-M010",
    M011 = "SVC-M011",
    M012 = "SVC-M012",
    M013 = "SVC-M013",
    M014 = "SVC-M014",
    M016 = "SVC-M016",
    M017 = "SVC-M017",
    M018 = "SVC-M018",
    M020 = "SVC-M020",
    M021 = "SVC-M021",
    M022 = "SVC-M022",
    M024 = "SVC-M024",
    M025 = "SVC-M025",
    M026 = "SVC-M026",
    M027 = "SVC-M027",
    M029 = "SVC-M029",
    M030 = "SVC-M030",
    M031 = "SVC-M031",
    M032 = "SVC-M032",
    P001 = "SVC-P001",
    P002 = "SVC-P002",
    P003 = "SVC-P003",
    P004 = "SVC-P004",
    P005 = "SVC-P005",
    P006 = "SVC-P006",
    P007 = "SVC-P007",
    P008 = "SVC-P008",
    P009 = "SVC-P009",
    P010 = "SVC-P010",
    P011 = "SVC-P011",
    P012 = "SVC-P012",
    P013 = "SVC-P013",
    P014 = "SVC-P014",
    P015 = "SVC-P015",
    P016 = "SVC-P016",
    P017 = "SVC-P017",
}

impl RuleCode {
    /// Reads a code in its one spelling.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == text)
    }
}

impl fmt::Display for RuleCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

impl Serialize for RuleCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
