//! Parameters that do nothing, because of others.

use super::{Config, TASK_QUERIES};

impl Config {
    /// What the configuration says without effect: parameters that others cap, and parameters of
    /// parts that are off, each in a sentence. Defaults are not mentioned.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let default = Self::default();
        let slots = self.tpcs_per_gpc * self.ttus_per_tpc * self.slots;
        let queries = self.active_slots.saturating_mul(TASK_QUERIES as u32);
        let capped = (queries < slots).then(|| {
            format!(
                "slots = {}: active_slots = {} tasks of {TASK_QUERIES} queries keep at most \
                 {queries} of {slots} slots of a cluster busy, beside queries for instances",
                self.slots, self.active_slots
            )
        });
        let caps = [
            ("readable", self.readable, "unit_slots", self.unit_slots),
            ("writable", self.writable, "units", self.units),
            ("merge", self.merge, "slots", self.slots),
        ];
        let caps = caps.into_iter().filter(|(_, value, _, most)| value > most);
        let caps = caps.map(|(key, value, by, most)| {
            format!("{key} = {value}: {by} = {most} leaves no more than that to do")
        });
        let idle = [
            ("t_rcp", self.t_rcp != default.t_rcp && self.rcp == default.rcp, "rcp = sm"),
            ("l1_kib", self.l1_kib != default.l1_kib && !self.l1, "l1 = false"),
            ("t_l1", self.t_l1 != default.t_l1 && !self.l1, "l1 = false"),
            ("t_dram", self.t_dram != default.t_dram && self.l2_kib == 0, "l2_kib = 0"),
            (
                "dram_bytes_per_cycle",
                self.dram_bytes_per_cycle != default.dram_bytes_per_cycle && self.l2_kib == 0,
                "l2_kib = 0",
            ),
        ];
        let idle = idle.into_iter().filter(|(_, is_idle, _)| *is_idle);
        let idle = idle.map(|(key, _, by)| format!("{key} has no effect with {by}"));
        capped.into_iter().chain(caps).chain(idle).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_effect_is_said() {
        let notes = |settings: &[&str]| Config::default().with_all(settings).unwrap().notes();
        assert_eq!(notes(&[]), Vec::<String>::new());
        assert_eq!(notes(&["slots=128"]), Vec::<String>::new());
        let expected = "slots = 256: active_slots = 4 tasks of 32 queries keep at most 128 of 256 \
                        slots of a cluster busy, beside queries for instances";
        assert_eq!(notes(&["slots=256"]), [expected]);
        assert_eq!(notes(&["slots=256", "active_slots=8"]), Vec::<String>::new());
        let expected = "readable = 9: unit_slots = 5 leaves no more than that to do";
        assert_eq!(notes(&["readable=9"]), [expected]);
        assert_eq!(notes(&["t_dram=7"]), ["t_dram has no effect with l2_kib = 0"]);
        assert_eq!(notes(&["t_dram=7", "l2_kib=64"]), Vec::<String>::new());
        assert_eq!(notes(&["t_l1=7", "t_rcp=9"]).len(), 2);
    }
}
