//! A format with settings.

use crate::registry::registry;
use machine::registry::SettingError;
use machine::{FormatEntry, Setting, Settings};

/// A format with settings, written `gfx12` or `gfx12:policy=radv+obb=on`.
#[derive(Debug, Clone)]
pub struct Variant {
    /// The format.
    pub format: &'static FormatEntry,
    /// What is set; the rest has its default.
    pub settings: Settings,
}

/// Why a text names no format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VariantError {
    /// No such format.
    #[error("no format of trees is called {name:?}, expected one of {expected}")]
    Format {
        /// The name.
        name: String,
        /// Those that there are.
        expected: String,
    },
    /// What follows the colon is no setting.
    #[error("{text:?} is no setting, expected key=value")]
    Text {
        /// The text.
        text: String,
    },
    /// No such setting.
    #[error(transparent)]
    Setting(#[from] SettingError),
}

impl Variant {
    /// Every format that holds trees, in each way that a comparison shows.
    #[must_use]
    pub fn all() -> Vec<Self> {
        registry().formats().iter().flat_map(|format| Self::of(format)).collect()
    }

    /// A format as it is usually laid out, and with each other value of its compared settings, one
    /// at a time. Nothing for a format that holds no trees.
    #[must_use]
    pub fn of(format: &'static FormatEntry) -> Vec<Self> {
        let Some(trees) = &format.trees else { return Vec::new() };
        let others = trees.settings.iter().filter(|setting| setting.is_compared);
        let others = others.flat_map(|Setting { key, values, .. }| {
            values[1..].iter().map(|value| Settings::default().with(*key, *value))
        });
        let settings = [Settings::default()].into_iter().chain(others);
        settings.map(|settings| Self { format, settings }).collect()
    }

    /// What a text names: a format, in each way that a comparison shows, or one way of it.
    ///
    /// # Errors
    /// When there is no such format or setting.
    pub fn parse(text: &str) -> Result<Vec<Self>, VariantError> {
        let (name, set) =
            text.split_once(':').map_or((text, None), |(name, set)| (name, Some(set)));
        let format = registry().format(name).filter(|format| format.holds_trees());
        let format = format.ok_or_else(|| {
            let formats = registry().formats().iter().filter(|format| format.holds_trees());
            let names: Vec<&str> = formats.map(|format| format.name).collect();
            VariantError::Format { name: name.to_owned(), expected: names.join(", ") }
        })?;
        let Some(set) = set else { return Ok(Self::of(format)) };
        let mut settings = Settings::default();
        for text in set.split('+') {
            let pair = text.split_once('=');
            let (key, value) = pair.ok_or_else(|| VariantError::Text { text: text.to_owned() })?;
            settings = settings.with(key, value);
        }
        format.accepts(&settings)?;
        Ok(vec![Self { format, settings }])
    }

    /// The text that names it.
    #[must_use]
    pub fn name(&self) -> String {
        let set: Vec<String> =
            self.settings.iter().map(|(key, value)| format!("{key}={value}")).collect();
        if set.is_empty() {
            self.format.name.to_owned()
        } else {
            format!("{}:{}", self.format.name, set.join("+"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(variants: &[Variant]) -> Vec<String> {
        variants.iter().map(Variant::name).collect()
    }

    #[test]
    fn a_format_stands_for_the_ways_that_are_compared() {
        let gfx12 = names(&Variant::parse("gfx12").unwrap());
        let policies = ["gfx12:policy=radv", "gfx12:policy=gpurt", "gfx12:policy=hiprt"];
        assert_eq!(gfx12, [&["gfx12"], &policies[..], &["gfx12:obb=on"]].concat());
        let one = Variant::parse("gfx12:policy=radv+obb=on").unwrap();
        assert_eq!(names(&one), ["gfx12:policy=radv+obb=on"]);
        let all = names(&Variant::all());
        for format in registry().formats().iter().filter(|format| format.holds_trees()) {
            assert!(all.iter().any(|name| name == format.name), "{}", format.name);
        }
    }

    #[test]
    fn what_does_not_exist_is_named() {
        let error = |text| Variant::parse(text).unwrap_err().to_string();
        assert!(error("gfx13").starts_with("no format of trees is called \"gfx13\", expected one"));
        assert!(error("gfx12:policy").contains("expected key=value"));
        assert!(error("gfx12:policy=fast").contains("expected dense, radv, gpurt, hiprt"));
        assert!(error("cwbvh:obb=on").contains("cwbvh has no setting \"obb\""));
    }
}
