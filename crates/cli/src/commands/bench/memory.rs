//! How much memory something takes at most while it runs, as Linux counts it for the process.

use crate::failure::Failure;
use std::fs;
use std::process::Command;

/// Runs this program once more with these arguments, to measure a [`peak`] that no memory hides
/// which was freed before but not given back: what is freed there goes back to the system. What it
/// prints is the number of bytes, or nothing where that is not known.
pub(super) fn of_a_process(arguments: &[std::ffi::OsString]) -> Result<Option<u64>, Failure> {
    let program = std::env::current_exe().map_err(Failure::input)?;
    let output = Command::new(program)
        .args(arguments)
        .envs([("MALLOC_MMAP_THRESHOLD_", "65536"), ("MALLOC_TRIM_THRESHOLD_", "0")])
        .output()
        .map_err(Failure::input)?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(Failure::input(format!("a build to measure memory by fails: {errors}")));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().parse().ok())
}

/// What it returns, and how many bytes more than before were there at most, where that is known.
pub(super) fn peak<T>(work: impl FnOnce() -> T) -> (T, Option<u64>) {
    // "5" forgets the peak so far.
    let before = fs::write("/proc/self/clear_refs", "5").ok().and_then(|()| status("VmRSS:"));
    let result = work();
    (result, before.and_then(|before| status("VmHWM:")?.checked_sub(before)))
}

/// Bytes that the system says of this process.
fn status(name: &str) -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilobytes| 1024 * kilobytes)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_freed_again_counts() {
        const BYTES: usize = 64 << 20;
        let (sum, bytes) =
            peak(|| vec![1u8; BYTES].iter().map(|&byte| usize::from(byte)).sum::<usize>());
        assert_eq!(sum, BYTES);
        // Other tests of this process may take some, or give some back, meanwhile.
        let bytes = bytes.unwrap() as usize;
        assert!(bytes > BYTES / 2 && bytes < 4 * BYTES, "{bytes}");
    }
}
