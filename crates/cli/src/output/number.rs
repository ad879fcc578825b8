//! Numbers as people read them.

pub(crate) use siliray::report::grouped;

/// So many things: `1 triangle`, `1,234 triangles`.
pub(crate) fn counted(count: impl TryInto<u64>, thing: &str) -> String {
    counted_as(count, thing, &format!("{thing}s"))
}

/// The same for a thing whose plural is its own: `2 losses`.
pub(crate) fn counted_as(count: impl TryInto<u64>, one: &str, many: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

/// A coordinate: plain, or with an exponent where that is shorter to read.
pub(crate) fn coordinate(value: f32) -> String {
    let plain = value == 0.0 || (1e-5..1e9).contains(&value.abs());
    if plain { value.to_string() } else { format!("{value:e}") }
}

/// A duration: `2.31 s`, `45 ms`.
pub(crate) fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 0.000_1 => format!("{:.0} µs", s * 1e6),
        s if s < 0.01 => format!("{:.1} ms", s * 1e3),
        s if s < 1.0 => format!("{:.0} ms", s * 1e3),
        s if s < 100.0 => format!("{s:.2} s"),
        s => format!("{s:.0} s"),
    }
}

/// A rate: `1.84 M/s`.
pub(crate) fn rate(per_second: f64) -> String {
    match per_second {
        r if r >= 1e6 => format!("{:.2} M/s", r / 1e6),
        r if r >= 1e3 => format!("{:.1} k/s", r / 1e3),
        r => format!("{r:.0} /s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([1u64, 2345].map(|n| counted(n, "hit")), ["1 hit", "2,345 hits"]);
        assert_eq!([0u64, 1].map(|n| counted_as(n, "loss", "losses")), ["0 losses", "1 loss"]);
        assert_eq!([0.0, -2.5, 1e-38, -3.4e38].map(coordinate).join(" "), "0 -2.5 1e-38 -3.4e38");
        assert_eq!(
            [0.00002, 0.0042, 0.25, 2.314, 250.4].map(seconds).join(" "),
            "20 µs 4.2 ms 250 ms 2.31 s 250 s"
        );
        assert_eq!([12.0, 45_600.0, 1_840_000.0].map(rate).join(" "), "12 /s 45.6 k/s 1.84 M/s");
    }
}
