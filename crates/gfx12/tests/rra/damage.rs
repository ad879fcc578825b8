//! Damaged files: an error or an image, never a panic, and no outline without end.

use super::files::cornell_world;
use gfx12::describe::describe;
use gfx12::outline::outline;
use gfx12::rra;
use machine::EntryState;
use proptest::prelude::*;

#[test]
fn a_file_cut_anywhere_is_an_error() {
    let bytes = rra::write(&cornell_world()).unwrap();
    for end in 0..bytes.len() {
        let error = rra::read(&bytes[..end]).unwrap_err();
        assert!(error.0.offset <= 32, "cut at {end}: {error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn flipped_bits_are_an_error_or_an_image(
        flips in prop::collection::vec((0usize..5000, 0u32..8), 1..6),
    ) {
        let mut bytes = rra::write(&cornell_world()).unwrap();
        for (byte, bit) in flips {
            let byte = byte % bytes.len();
            bytes[byte] ^= 1 << bit;
        }
        if let Ok(file) = rra::read(&bytes) {
            for number in 0..file.structures.len() {
                let image = file.open(Some(number)).unwrap().image;
                let outline = outline(&image);
                let most = 8 * outline.total("boxes") + outline.total("instances") + 1;
                prop_assert!(outline.entries.len() as u64 <= most);
                for entry in &outline.entries {
                    let described = describe(&image, entry.node);
                    prop_assert!(entry.state != EntryState::Read || described.is_ok());
                }
            }
            let again = rra::read(&file.to_bytes()).unwrap();
            prop_assert_eq!(again.structures.len(), file.structures.len());
        }
    }

    #[test]
    fn noise_is_an_error(noise in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut bytes = b"AMD_RDF \x03\0\0\0\0\0\0\0".to_vec();
        prop_assert!(rra::read(&noise).is_err());
        bytes.extend_from_slice(&noise);
        prop_assert!(rra::read(&bytes).is_err());
    }
}
