//! Whether the levels of a tree fit together: what every encoder asks first.

use crate::Tree;
use geometry::SingularTransform;

/// What is wrong with the levels of a tree.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum UnsoundTree {
    /// A tree without a TLAS has one BLAS.
    #[error("{blases} BLASes without a TLAS, expected 1")]
    BlasCount {
        /// How many there are.
        blases: usize,
    },
    /// An instance names a BLAS that does not exist.
    #[error("instance {instance} names BLAS {blas} of {blases}")]
    MissingBlas {
        /// The instance.
        instance: usize,
        /// What it names.
        blas: u32,
        /// How many there are.
        blases: usize,
    },
    /// An instance has no inverse.
    #[error("instance {instance}: {source}")]
    Singular {
        /// The instance.
        instance: usize,
        /// Why.
        source: SingularTransform,
    },
}

impl Tree {
    /// Whether there is one BLAS or a TLAS, and every instance can be placed.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), UnsoundTree> {
        let blases = self.blases.len();
        let Some(tlas) = &self.tlas else {
            return if blases == 1 { Ok(()) } else { Err(UnsoundTree::BlasCount { blases }) };
        };
        for (instance, given) in tlas.instances.iter().enumerate() {
            let blas = given.blas;
            if blas as usize >= blases {
                return Err(UnsoundTree::MissingBlas { instance, blas, blases });
            }
            let inverse = given.world_to_object.inverse();
            inverse.map_err(|source| UnsoundTree::Singular { instance, source })?;
        }
        Ok(())
    }
}
