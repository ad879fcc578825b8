//! Primitives compressed by Draco: `KHR_draco_mesh_compression`.

use super::document::Draco;
use draco_core::{DecoderBuffer, Mesh, MeshDecoder};

/// A decoded primitive.
pub(super) struct DracoMesh {
    mesh: Mesh,
}

impl DracoMesh {
    /// Decodes a stream.
    pub(super) fn decode(bytes: &[u8]) -> Result<Self, String> {
        let mut mesh = Mesh::new();
        let mut buffer = DecoderBuffer::new(bytes);
        MeshDecoder::new().decode(&mut buffer, &mut mesh).map_err(|error| error.to_string())?;
        Ok(Self { mesh })
    }

    /// How many vertices there are.
    pub(super) fn vertices(&self) -> usize {
        self.mesh.num_points()
    }

    /// The triangles, as corners in a row.
    pub(super) fn corners(&self) -> Vec<u32> {
        self.mesh.faces().iter().flatten().map(|point| point.0).collect()
    }

    /// The values of an attribute, `N` for each vertex, integers as they are.
    pub(super) fn attribute<const N: usize>(
        &self,
        about: &Draco,
        name: &str,
    ) -> Option<Vec<[f64; N]>> {
        let attribute = self.mesh.attribute_by_unique_id(*about.attributes.get(name)?)?;
        let values = attribute.read_f32s(self.vertices(), N);
        Some(values.as_chunks::<N>().0.iter().map(|value| value.map(f64::from)).collect())
    }
}
