//! siliray for Python: the extension module `siliray._native`.
//!
//! It wraps the facade and has no logic of its own; the package around it, in `python/siliray`,
//! gives arguments their shape and results their names. `docs/python.md` is the guide.
//!
//! | file | concept |
//! |---|---|
//! | `scene` | what is traced |
//! | `tracer` | many rays, fast |
//! | `stored` | tracers in files, tracers that follow a scene |
//! | `locations` | where rays meet triangles, in doubles |
//! | `nearest` | the nearest points of the surface |
//! | `beams` | many beams, spheres and frusta |
//! | `image` | bytes as hardware reads them: check, inspect, intersect |
//! | `machines` | build, walk, compare, the law, clearance |
//! | `simulations` | the traversal unit: prepared once, run with many configurations |
//! | `render` | pictures and heat maps |
//! | `isbe` | the staging memory of mesh shaders |
//! | `walker` | who walks, and from where it is seen |
//! | `arrays` | arrays as rays and triangles |
//! | `columns` | hits and nearest points as arrays |
//! | `generated` | rays that are made while they are traced |
//! | `table` | columns as Arrow tables |
//! | `document` | what the facade says, as text |
//! | `job` | long work: threads, interruption, progress |
//! | `names` | formats, machines and presets by name |
//! | `errors` | which error becomes which exception |

mod arrays;
mod beams;
mod columns;
mod document;
mod errors;
mod generated;
mod image;
mod isbe;
mod job;
mod locations;
mod machines;
mod names;
mod nearest;
mod render;
mod scene;
mod simulations;
mod stored;
mod table;
mod tracer;
mod walker;

/// The extension module.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::beams::{contacts, first_contact, touches};
    #[pymodule_export]
    use crate::generated::GeneratedRays;
    #[pymodule_export]
    use crate::image::Image;
    #[pymodule_export]
    use crate::isbe::{
        isbe_assemble, isbe_attributes, isbe_capture, isbe_disassemble, isbe_info, isbe_inspect,
        isbe_layout, isbe_mesh, isbe_run,
    };
    #[pymodule_export]
    use crate::locations::{Planes, first_locations, locations};
    #[pymodule_export]
    use crate::machines::{build, clearance, compare, configs, law, vectors, walk};
    #[pymodule_export]
    use crate::nearest::nearest_points;
    #[pymodule_export]
    use crate::render::render;
    #[pymodule_export]
    use crate::scene::Scene;
    #[pymodule_export]
    use crate::simulations::{Simulator, simulate};
    #[pymodule_export]
    use crate::stored::{load, refit, save};
    #[pymodule_export]
    use crate::table::{record_batch, rows, table};
    #[pymodule_export]
    use crate::tracer::Tracer;

    /// The version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's name")]
    const version: &str = env!("CARGO_PKG_VERSION");
}
