//! siliray for Python: the extension module `siliray._native`.
//!
//! It wraps the facade and has no logic of its own; the package around it, in `python/siliray`,
//! gives arguments their shape and results their names. `docs/python.md` is the guide.
//!
//! | file | concept |
//! |---|---|
//! | `scene` | what is traced |
//! | `tracer` | many rays, fast |
//! | `arrays` | arrays as rays and triangles, hits as arrays |
//! | `table` | columns as Arrow tables |
//! | `job` | long work: threads, interruption, progress |
//! | `names` | formats, machines and presets by name |
//! | `errors` | which error becomes which exception |

mod arrays;
mod errors;
mod job;
mod names;
mod scene;
mod table;
mod tracer;

/// The extension module.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::scene::Scene;
    #[pymodule_export]
    use crate::table::{record_batch, table};
    #[pymodule_export]
    use crate::tracer::Tracer;
}
