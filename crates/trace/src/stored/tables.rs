//! Everything but nodes and leaves, as bytes: numbers one after the other, lists with their length
//! before them.

use super::StoredError;
use crate::Options;
use crate::world::{Arena, Level, Pointer, PrimitiveIds, Tlas, World};
use build::Preset;
use geometry::{Aabb, InstanceFlags, Transform, TriangleRule, Vec3};
use machine::instance_dilation::InstanceDilation;
use std::ops::Range;
use tree::{Bvh, Instance, PrimitiveFlags, PrimitiveId};

/// The tables of a world. Their length is a multiple of 64.
pub(super) fn write(world: &World, options: &Options) -> Vec<u8> {
    let World { arena, boxes, box_lists, blases, primitive_ids, tlas, .. } = world;
    let mut out = Writer(Vec::new());
    out.number(arena.node_count());
    out.number(world.triangles);
    out.word(u32::from(world.is_ordinary));
    out.word(u32::from(options.rule == TriangleRule::MollerTrumbore));
    out.word(u32::from(options.keeps_boxes));
    let preset = Preset::ALL.iter().position(|&preset| preset == options.preset);
    out.number(preset.unwrap_or(Preset::ALL.len()));
    out.list(boxes, |out, (bounds, id)| {
        out.bounds(bounds);
        out.id(id);
    });
    out.list(box_lists, |out, Range { start, end }| {
        out.word(*start);
        out.word(*end);
    });
    out.list(blases, |out, level| out.level(level));
    out.list(primitive_ids, |out, ids| match ids {
        PrimitiveIds::Alike { geometry, flags } => {
            out.word(0);
            out.word(*geometry);
            out.word(flags.bits().into());
        }
        PrimitiveIds::Pages(pages) => {
            out.word(1);
            out.list(pages, |out, page| out.id(page));
        }
    });
    out.word(u32::from(tlas.is_some()));
    if let Some(tlas) = tlas {
        out.level(&tlas.level);
        out.list(&tlas.instances, |out, instance| out.instance(instance));
    }
    out.0.resize(out.0.len().next_multiple_of(64), 0);
    out.0
}

/// The world that tables and an arena make, unproved, without the size of its stack.
pub(super) fn read(bytes: &[u8], mut arena: Arena) -> Result<(World, Options), StoredError> {
    let mut tables = Reader(bytes);
    if !arena.set_node_count(tables.number()?) {
        return Err(StoredError::broken("it tells of more nodes than it holds"));
    }
    let triangles = tables.number()?;
    let [is_ordinary, is_moller_trumbore, keeps_boxes] =
        [tables.flag()?, tables.flag()?, tables.flag()?];
    let preset = tables.number()?;
    let unknown = || StoredError::broken(format!("a preset {preset}"));
    let preset = *Preset::ALL.get(preset).ok_or_else(unknown)?;
    let boxes = tables.list(|tables| Ok((tables.bounds()?, tables.id()?)))?;
    let box_lists = tables.list(|tables| Ok(tables.word()?..tables.word()?))?;
    let blases = tables.list(Reader::level)?;
    let primitive_ids = tables.list(|tables| {
        Ok(match tables.flag()? {
            false => PrimitiveIds::Alike { geometry: tables.word()?, flags: tables.flags()? },
            true => PrimitiveIds::Pages(tables.list(Reader::id)?),
        })
    })?;
    let tlas = match tables.flag()? {
        false => None,
        true => {
            let (level, instances) = (tables.level()?, tables.list(Reader::instance)?);
            let tlas = tree::Tlas { instances, bvh: Bvh::empty() };
            let dilation = InstanceDilation::new(&tlas);
            Some(Tlas { level, instances: tlas.instances, dilation })
        }
    };
    if tables.0.len() >= 64 || tables.0.iter().any(|&byte| byte != 0) {
        return Err(StoredError::broken("bytes follow its tables"));
    }
    let rule = match is_moller_trumbore {
        true => TriangleRule::MollerTrumbore,
        false => TriangleRule::Watertight,
    };
    let options = Options { rule, preset, keeps_boxes, ..Options::default() };
    let stack_size = 0;
    let world = World {
        arena,
        boxes,
        box_lists,
        blases,
        primitive_ids,
        tlas,
        stack_size,
        triangles,
        is_ordinary,
    };
    Ok((world, options))
}

struct Writer(Vec<u8>);

impl Writer {
    fn word(&mut self, word: u32) {
        self.0.extend(word.to_ne_bytes());
    }

    fn number(&mut self, number: usize) {
        self.0.extend((number as u64).to_ne_bytes());
    }

    fn float(&mut self, float: f32) {
        self.word(float.to_bits());
    }

    fn list<T>(&mut self, list: &[T], mut each: impl FnMut(&mut Self, &T)) {
        self.number(list.len());
        list.iter().for_each(|value| each(self, value));
    }

    fn bounds(&mut self, bounds: &Aabb) {
        [bounds.min, bounds.max].iter().flat_map(|v| v.to_array()).for_each(|x| self.float(x));
    }

    fn id(&mut self, id: &PrimitiveId) {
        self.word(id.geometry);
        self.word(id.primitive);
        self.word(id.flags.bits().into());
    }

    fn level(&mut self, level: &Level) {
        self.word(level.root.0);
        self.bounds(&level.bounds);
    }

    fn instance(&mut self, instance: &Instance) {
        let Instance { blas, world_to_object, object_to_world, mask, custom_index, .. } = instance;
        for transform in [world_to_object, object_to_world] {
            transform.rows.iter().flatten().for_each(|&x| self.float(x));
        }
        [*blas, (*mask).into(), *custom_index].into_iter().for_each(|word| self.word(word));
        self.word(instance.sbt_offset);
        self.word(instance.flags.bits().into());
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const BYTES: usize>(&mut self) -> Result<[u8; BYTES], StoredError> {
        let (taken, rest) = self
            .0
            .split_first_chunk::<BYTES>()
            .ok_or_else(|| StoredError::broken("its tables end too soon"))?;
        self.0 = rest;
        Ok(*taken)
    }

    fn word(&mut self) -> Result<u32, StoredError> {
        self.take().map(u32::from_ne_bytes)
    }

    fn number(&mut self) -> Result<usize, StoredError> {
        let number = self.take().map(u64::from_ne_bytes)?;
        usize::try_from(number).map_err(|_| StoredError::broken(format!("a count of {number}")))
    }

    fn flag(&mut self) -> Result<bool, StoredError> {
        match self.word()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(StoredError::broken(format!("{other} where 0 or 1 must be"))),
        }
    }

    fn byte(&mut self) -> Result<u8, StoredError> {
        let word = self.word()?;
        u8::try_from(word).map_err(|_| StoredError::broken(format!("{word} where a byte must be")))
    }

    fn list<T>(
        &mut self,
        mut each: impl FnMut(&mut Self) -> Result<T, StoredError>,
    ) -> Result<Vec<T>, StoredError> {
        // Nothing is shorter than a word, so a list cannot ask for more memory than the file has.
        let count = self.number()?;
        if count > self.0.len() / 4 {
            return Err(StoredError::broken(format!("a list of {count} that is not there")));
        }
        (0..count).map(|_| each(self)).collect()
    }

    fn float(&mut self) -> Result<f32, StoredError> {
        self.word().map(f32::from_bits)
    }

    fn vector(&mut self) -> Result<Vec3, StoredError> {
        Ok(Vec3::new(self.float()?, self.float()?, self.float()?))
    }

    fn bounds(&mut self) -> Result<Aabb, StoredError> {
        Ok(Aabb::new(self.vector()?, self.vector()?))
    }

    fn flags(&mut self) -> Result<PrimitiveFlags, StoredError> {
        let bits = self.byte()?;
        let unknown = || StoredError::broken(format!("flags {bits:#x} of a primitive"));
        PrimitiveFlags::from_bits(bits).ok_or_else(unknown)
    }

    fn id(&mut self) -> Result<PrimitiveId, StoredError> {
        Ok(PrimitiveId { geometry: self.word()?, primitive: self.word()?, flags: self.flags()? })
    }

    fn level(&mut self) -> Result<Level, StoredError> {
        Ok(Level { root: Pointer(self.word()?), bounds: self.bounds()? })
    }

    fn transform(&mut self) -> Result<Transform, StoredError> {
        let mut rows = [[0.0; 4]; 3];
        for entry in rows.iter_mut().flatten() {
            *entry = self.float()?;
        }
        Ok(Transform { rows })
    }

    fn instance(&mut self) -> Result<Instance, StoredError> {
        let (world_to_object, object_to_world) = (self.transform()?, self.transform()?);
        let (blas, mask) = (self.word()?, self.byte()?);
        let (custom_index, sbt_offset) = (self.word()?, self.word()?);
        let flags = InstanceFlags::from_bits_truncate(self.byte()?);
        Ok(Instance {
            blas,
            world_to_object,
            object_to_world,
            mask,
            custom_index,
            sbt_offset,
            flags,
        })
    }
}
