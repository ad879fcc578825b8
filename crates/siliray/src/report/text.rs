//! Text, numbers and pictures for HTML.

use crate::render::{Picture, PngError};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Text with the characters that mean something in HTML replaced.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// A count with its thousands apart: `1,234,567`.
#[must_use]
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A duration.
pub(crate) fn duration(seconds: f64) -> String {
    if seconds < 1.0 { format!("{:.0} ms", seconds * 1e3) } else { format!("{seconds:.2} s") }
}

/// Millions each second.
pub(crate) fn millions(per_second: f64) -> String {
    format!("{:.2} M/s", per_second / 1e6)
}

/// A picture inside a page.
pub(crate) fn data_url(picture: &Picture) -> Result<String, PngError> {
    Ok(format!("data:image/png;base64,{}", STANDARD.encode(picture.to_png()?)))
}

/// A template with each `{{marker}}` replaced. Replacements are not searched for markers.
pub(crate) fn filled(template: &str, parts: &[(&str, String)]) -> String {
    let mut page = String::new();
    let mut pieces = template.split("{{");
    page.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let (marker, rest) = piece.split_once("}}").unwrap_or((piece, ""));
        let part = parts.iter().find(|(name, _)| *name == marker);
        page.push_str(part.map_or("", |(_, text)| text));
        page.push_str(rest);
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_replaced_once() {
        let parts = [("a", "{{b}}".to_owned()), ("b", "x".to_owned())];
        assert_eq!(filled("1{{a}}2{{b}}3{{none}}4", &parts), "1{{b}}2x34");
    }

    #[test]
    fn markup_in_names_is_text() {
        assert_eq!(escaped("a<b>&\"c'"), "a&lt;b&gt;&amp;&quot;c&#39;");
    }

    #[test]
    fn thousands_stand_apart() {
        assert_eq!([0, 999, 1000, 1234567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
