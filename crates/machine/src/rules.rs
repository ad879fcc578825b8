//! Rules that images are checked against, as an enum with names.

use crate::Severity;

/// A rule of some format.
pub trait CheckRule: Copy + Ord {
    /// The name in reports; it never changes.
    fn name(self) -> &'static str;

    /// Whether breaking it makes the image unsafe to walk.
    fn severity(self) -> Severity;
}

/// A rule of a check, as users meet it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleEntry {
    /// The name in reports.
    pub name: &'static str,
    /// Whether breaking it makes the image unsafe to walk.
    pub severity: Severity,
    /// What holds in an image that keeps it.
    pub promise: &'static str,
}

/// Declares the enum `Rule` from lines of variant, name, severity and promise.
///
/// ```
/// machine::rules! {
///     Root "root" Error "the root pointer names a node"
///     Parent "parent" Warning "a parent pointer names the parent"
/// }
/// assert_eq!(Rule::ALL.len(), 2);
/// assert_eq!((Rule::Root.name(), Rule::Parent.severity()), ("root", machine::Severity::Warning));
/// ```
#[macro_export]
macro_rules! rules {
    ($($rule:ident $name:literal $severity:ident $promise:literal)*) => {
        /// What an image must be (errors) and should be (warnings).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Rule {
            $(#[doc = $promise] $rule,)*
        }

        impl Rule {
            /// All rules, errors first.
            pub const ALL: &[Self] = &[$(Self::$rule),*];

            /// All rules as users meet them.
            pub const ENTRIES: &[$crate::RuleEntry] = &[$($crate::RuleEntry {
                name: $name,
                severity: $crate::Severity::$severity,
                promise: $promise,
            }),*];

            /// The name in reports; it never changes.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$rule => $name),* }
            }

            /// Whether breaking it makes the image unsafe to walk.
            #[must_use]
            pub const fn severity(self) -> $crate::Severity {
                match self { $(Self::$rule => $crate::Severity::$severity),* }
            }

            /// What holds in an image that keeps it.
            #[must_use]
            pub const fn promise(self) -> &'static str {
                match self { $(Self::$rule => $promise),* }
            }
        }

        impl $crate::CheckRule for Rule {
            fn name(self) -> &'static str {
                Self::name(self)
            }

            fn severity(self) -> $crate::Severity {
                Self::severity(self)
            }
        }
    };
}
