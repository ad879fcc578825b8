//! The numbers of an instance: one in its node, the other beside it (G-41).

use super::edit::{edit_bits, instances};
use super::worlds::{scene, tree};
use build::Preset;
use gfx12::Gfx12;
use gfx12::decode::instance_numbers;
use gfx12::encode::{Options, encode};
use gfx12::layout::RadvInstanceData;
use machine::Format;

#[test]
fn user_data_is_the_sbt_offset_and_the_custom_index_stands_beside() {
    let tree = tree(&scene("instanced", 9), Preset::Balanced);
    let given = &tree.tlas.as_ref().unwrap().instances;
    let mut image = encode(&tree, &Options::default()).unwrap().image;
    let checked = Gfx12::check(image.clone()).checked.unwrap();
    let decoded = &checked.tree().tlas.as_ref().unwrap().instances;
    // The sideband has the custom index. Nothing shows an instance of an empty structure.
    for (decoded, given) in decoded.iter().zip(given).filter(|(decoded, _)| decoded.mask != 0) {
        let numbers = (given.custom_index, given.sbt_offset);
        assert_eq!((decoded.custom_index, decoded.sbt_offset), numbers);
    }
    assert!(given.iter().any(|instance| instance.custom_index != instance.sbt_offset));

    // Without a header there is no sideband. RADV's data lie behind the last node alone.
    let base = image.bases[0];
    edit_bits(&mut image, base, |header| header.set_word(18, 0));
    let nodes = instances(&image);
    let &(address, last, node) = nodes.iter().max_by_key(|(address, ..)| *address).unwrap();
    let data = RadvInstanceData {
        object_to_world: node.world_to_object.inverse().unwrap(),
        custom_index: 4711,
        instance_index: 0,
        bvh_offset: 0,
        leaf_node_offsets_offset: 0,
        unused: [0; 16],
    };
    edit_bits(&mut image, address + 128, |bits| *bits = data.encode());
    let checked = Gfx12::check(image).checked.unwrap();
    let decoded = &checked.tree().tlas.as_ref().unwrap().instances;
    for (pointer, number) in instance_numbers(&checked) {
        let (_, _, node) = nodes.iter().find(|(_, other, _)| *other == pointer).unwrap();
        let expected = if pointer == last { 4711 } else { 0 };
        let instance = &decoded[number as usize];
        assert_eq!((instance.sbt_offset, instance.custom_index), (node.user_data, expected));
    }
}
