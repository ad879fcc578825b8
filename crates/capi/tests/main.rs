//! What C sees is what the facade says. (`hostile.py` has the calls that nobody should make.)
#![allow(unsafe_code, reason = "functions that C calls")]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use siliray::documents::findings::RuleCounts;
use siliray::gfx12::layout::PointerFlags;
use siliray::input::{OpenedImage, build_options, format_options};
use siliray::intersect::{Operands, intersect};
use siliray::machine::{FormatEntry, ReadOptions, Settings, Severity};
use siliray::registry::registry;
use siliray::scene::builtin::Builtin;
use siliray_capi::context::{Context, siliray_context_free, siliray_context_new};
use siliray_capi::image::{FileStructure, siliray_image_read, siliray_image_structure};
use siliray_capi::instruction::{ImageOperands, RayOperands, Registers, siliray_intersect};
use siliray_capi::report::{
    CFinding, Summary, siliray_check, siliray_check_update, siliray_report_finding,
    siliray_report_summary,
};
use siliray_capi::status::SilirayStatus;
use siliray_capi::walk::{
    CRay, WalkAnswer, WalkHit, siliray_walk, siliray_walk_answer, siliray_walk_hit,
};
use std::ffi::{CStr, CString, c_char};
use std::mem::MaybeUninit;
use std::ops::ControlFlow;
use std::ptr::{null, null_mut};

/// A context that is freed.
struct Owned(*mut Context);

impl Owned {
    fn new() -> Self {
        let mut context = null_mut();
        // SAFETY: WRITABLE.
        let status = unsafe { siliray_context_new(null(), &raw mut context, null_mut()) };
        assert_eq!(status, SilirayStatus::Ok);
        Self(context)
    }

    fn image(&self, bytes: &[u8]) -> u64 {
        // SAFETY: LIVE, READABLE, WRITABLE.
        answer(|id| unsafe {
            siliray_image_read(self.0, bytes.as_ptr().cast(), bytes.len(), null(), id, null_mut())
        })
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: LIVE.
        let status = unsafe { siliray_context_free(&raw mut self.0, null_mut()) };
        assert_eq!(status, SilirayStatus::Ok);
    }
}

/// What a call that must succeed puts into its place.
fn answer<T>(call: impl FnOnce(*mut T) -> SilirayStatus) -> T {
    let mut place = MaybeUninit::uninit();
    assert_eq!(call(place.as_mut_ptr()), SilirayStatus::Ok);
    // SAFETY: a call that succeeds has written its answer.
    unsafe { place.assume_init() }
}

fn text(pointer: *const c_char) -> String {
    // SAFETY: TERMINATED; the object that it came from is still there.
    unsafe { CStr::from_ptr(pointer) }.to_str().unwrap().to_owned()
}

/// A scene as a file of a format.
fn file(format: &FormatEntry, builtin: Builtin, triangles: usize) -> Vec<u8> {
    let settings = Settings::default();
    let scene = builtin.scene(triangles);
    let options = format_options(format, &settings, siliray::build::Preset::Fast);
    let tree = options.build(&scene).unwrap();
    let trees = format.trees.as_ref().unwrap();
    let image = (trees.encode)(&tree, &settings).unwrap().image;
    (trees.write)(&image, None).unwrap()
}

#[test]
fn findings_are_those_of_the_facade() {
    let context = Owned::new();
    let format = registry().format("gfx12").unwrap();
    let sound = file(format, Builtin::Organic, 600);
    let mut with_findings = 0;
    for flipped in (0..sound.len()).step_by(257) {
        let mut bytes = sound.clone();
        bytes[flipped] ^= 0x11;
        let opened = OpenedImage::read("image".into(), &bytes, format, &ReadOptions::default());
        let Ok(expected) = opened.check(None) else { continue };
        let image = context.image(&bytes);
        // SAFETY: LIVE, WRITABLE.
        let report = answer(|id| unsafe { siliray_check(context.0, image, 0, id, null_mut()) });
        let summary: Summary =
            // SAFETY: LIVE, WRITABLE.
            answer(|place| unsafe { siliray_report_summary(context.0, report, place, null_mut()) });
        let counts = RuleCounts::of(&expected.findings);
        assert_eq!(summary.errors, counts.total(Severity::Error));
        assert_eq!(summary.warnings, counts.total(Severity::Warning));
        assert_eq!(summary.findings, expected.findings.len());
        for (number, finding) in expected.findings.iter().enumerate() {
            // SAFETY: LIVE, WRITABLE.
            let found: CFinding = answer(|place| unsafe {
                siliray_report_finding(context.0, report, number, place, null_mut())
            });
            assert_eq!(text(found.line), finding.to_string());
            assert_eq!(text(found.rule), finding.rule);
            assert_eq!(text(found.place), finding.place);
            assert_eq!((found.offset, found.count), (finding.offset, finding.count));
        }
        with_findings += usize::from(summary.errors + summary.warnings > 0);
    }
    assert!(with_findings > 20, "{with_findings}");
}

/// Every machine that reads a format walks its files as the facade does.
#[test]
fn walks_are_those_of_the_facade() {
    let context = Owned::new();
    for format in registry().formats().iter().filter(|format| format.holds_trees()) {
        let bytes = file(format, Builtin::Interior, 400);
        let opened = OpenedImage::read("image".into(), &bytes, format, &ReadOptions::default());
        let stored = opened.stored().unwrap();
        let ray = siliray::conformance::aimed_rays(stored.checked.tree(), 3, 1)[0].shape;
        let input = siliray::input::Input::Image(stored);
        let image = context.image(&bytes);
        for entry in registry().readers(format) {
            let route = siliray::input::Route::new(entry, build_options(entry, None, None));
            let prepared = route.prepare(&input, &|_| ControlFlow::Continue(())).unwrap();
            let Ok(machine) = prepared.make(&siliray::machine::MachineOptions::default()) else {
                continue;
            };
            let expected = machine.closest(&ray).unwrap();
            let asked = CRay {
                origin: ray.origin.to_array(),
                direction: ray.direction.to_array(),
                tmin: ray.tmin,
                tmax: ray.tmax,
                mask: 0xFF,
                flags: 0,
                kind: 0,
            };
            let name = CString::new(entry.name).unwrap();
            // SAFETY: LIVE, TERMINATED, READABLE, WRITABLE.
            let walk = answer(|id| unsafe {
                siliray_walk(context.0, image, name.as_ptr(), &raw const asked, 7, id, null_mut())
            });
            let walked: WalkAnswer =
                // SAFETY: LIVE, WRITABLE.
                answer(|place| unsafe { siliray_walk_answer(context.0, walk, place, null_mut()) });
            assert_eq!(text(walked.machine), entry.name);
            assert_eq!(walked.hits, usize::from(expected.is_some()), "{}", entry.name);
            assert!(walked.steps <= 7);
            if let Some(expected) = expected {
                // SAFETY: LIVE, WRITABLE.
                let hit: WalkHit = answer(|place| unsafe {
                    siliray_walk_hit(context.0, walk, 0, place, null_mut())
                });
                assert_eq!(
                    (hit.t.to_bits(), hit.primitive),
                    (expected.t.to_bits(), expected.primitive)
                );
            }
        }
    }
}

/// The instruction of each generation on an image, by its id.
#[test]
fn instructions_are_those_of_the_facade() {
    let context = Owned::new();
    let run = |image: u64, asked: &ImageOperands| -> Result<Registers, SilirayStatus> {
        let mut place = MaybeUninit::uninit();
        // SAFETY: LIVE, READABLE, WRITABLE.
        let status =
            unsafe { siliray_intersect(context.0, image, asked, place.as_mut_ptr(), null_mut()) };
        // SAFETY: a call that succeeds has written its answer.
        if status == SilirayStatus::Ok { Ok(unsafe { place.assume_init() }) } else { Err(status) }
    };
    let mut met = 0;
    for name in ["gfx10-bvh4", "gfx11-bvh4", "gfx12", "gfx12-bvh4x2"] {
        let format = registry().format(name).unwrap();
        let bytes = file(format, Builtin::Interior, 400);
        let opened = OpenedImage::read("image".into(), &bytes, format, &ReadOptions::default());
        let file = opened.file.as_ref().unwrap();
        let tree = std::sync::Arc::clone(opened.stored().unwrap().checked.tree());
        let image = context.image(&bytes);
        for query in siliray::conformance::aimed_rays(&tree, 3, 50) {
            let ray = query.shape;
            let asked = ImageOperands {
                nodes: [file.image.root as u32, u32::MAX],
                mask: 0xFF,
                flags: 0,
                ray: RayOperands {
                    extent: ray.tmax,
                    origin: ray.origin.to_array(),
                    direction: ray.direction.to_array(),
                },
                resource: null(),
            };
            let expected = intersect(
                file,
                &Operands {
                    nodes: vec![asked.nodes[0]],
                    origin: asked.ray.origin,
                    direction: asked.ray.direction,
                    extent: asked.ray.extent,
                    mask: 0xFF,
                    resource: None,
                    flags: PointerFlags::empty(),
                },
            );
            let (expected, found) = (expected.unwrap().vdst, run(image, &asked).unwrap());
            assert_eq!(found.vdst[..expected.len()], expected, "{name}");
            met += usize::from(expected[0] != u32::MAX);
            let outside = ImageOperands { nodes: [0x7FFF_FFF5, u32::MAX], ..asked };
            assert_eq!(run(image, &outside).unwrap_err(), SilirayStatus::NoStructure);
        }
    }
    assert!(met > 100, "{met}");
}

/// Structures are those that the command lists, and each of them can be started in.
#[test]
fn structures_are_those_of_the_file() {
    let context = Owned::new();
    let format = registry().format("gfx12").unwrap();
    let bytes = file(format, Builtin::Forest, 2000);
    let opened = OpenedImage::read("image".into(), &bytes, format, &ReadOptions::default());
    let expected = &opened.file.as_ref().unwrap().structures;
    let image = context.image(&bytes);
    for (number, one) in expected.iter().enumerate() {
        // SAFETY: LIVE, WRITABLE.
        let found: FileStructure = answer(|place| unsafe {
            siliray_image_structure(context.0, image, number, place, null_mut())
        });
        assert_eq!(text(found.level), one.level);
        assert_eq!(
            (found.address, found.offset, found.bytes),
            (one.address, one.offset, one.bytes)
        );
        assert_eq!((found.primitives, [found.boxes, found.leaves]), (one.primitives, one.nodes));
    }
    assert!(expected.len() > 2, "{}", expected.len());
    let mut place = MaybeUninit::uninit();
    // SAFETY: LIVE, WRITABLE.
    let status = unsafe {
        siliray_image_structure(context.0, image, expected.len(), place.as_mut_ptr(), null_mut())
    };
    assert_eq!(status, SilirayStatus::Index);
}

/// An image after an update that cannot be taken apart has a report, as one that is checked alone.
#[test]
fn broken_images_after_updates_have_a_report() {
    let context = Owned::new();
    let bytes = file(registry().format("gfx12").unwrap(), Builtin::Organic, 300);
    let (before, after) = (context.image(&bytes), context.image(&bytes[..300]));
    // SAFETY: LIVE, WRITABLE.
    let report = answer(|id| unsafe {
        siliray_check_update(context.0, before, after, null(), id, null_mut())
    });
    // SAFETY: LIVE, WRITABLE.
    let alone = answer(|id| unsafe { siliray_check(context.0, after, 0, id, null_mut()) });
    let [found, expected] = [report, alone].map(|report| {
        // SAFETY: LIVE, WRITABLE.
        let found: CFinding = answer(|place| unsafe {
            siliray_report_finding(context.0, report, 0, place, null_mut())
        });
        text(found.line)
    });
    assert_eq!(found, expected);
}

/// `scripts/capi` skips parts whose tools are missing, but not in CI, where they can be installed.
#[cfg(unix)]
#[test]
fn tools_that_are_missing_fail_in_ci_alone() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = std::env::temp_dir().join(format!("siliray-tools-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = std::env::var_os("PATH").unwrap();
    for tool in ["bash", "dirname", "id", "tr", "env"] {
        let found = std::env::split_paths(&path).map(|it| it.join(tool)).find(|it| it.is_file());
        let _ = symlink(found.unwrap(), folder.join(tool));
    }
    let installer = folder.join("apt-get");
    std::fs::write(&installer, "#!/bin/bash\nexit 0\n").unwrap();
    std::fs::set_permissions(&installer, std::fs::Permissions::from_mode(0o755)).unwrap();
    let run = |ci: &str| {
        let mut bash = std::process::Command::new(folder.join("bash"));
        let bash = bash.args(["scripts/capi", "--tools"]).current_dir(&root);
        let output = bash.env("PATH", &folder).env("CI", ci).output().unwrap();
        let [text, errors] =
            [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap());
        (output.status.code(), text + &errors)
    };
    let (in_ci, elsewhere) = (run("true"), run(""));
    std::fs::remove_file(&installer).unwrap();
    let without_apt = run("true");
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(
        in_ci.0 == Some(1) && in_ci.1.contains("no cc") && in_ci.1.contains("CI skips nothing")
    );
    for (status, text) in [elsewhere, without_apt] {
        assert_eq!(status, Some(0), "{text}");
        assert!(text.contains("no valgrind: the shared library runs without it"), "{text}");
    }
}
