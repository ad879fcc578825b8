//! Sizes, cameras and counts as users type them.

use siliray::cameras;
use siliray::find::Wanted;
use siliray::geometry::beam::check_box;
use siliray::geometry::{Aabb, Frustum, Ray, Sphere, Vec3};
use siliray::gfx12::layout::{PointerFlags, Resource};
use siliray::machine::Severity;
use siliray::ray_files::Layout;
use siliray::render::{MAX_PIXELS, MAX_SIDE};
use siliray::scene::Camera;
use siliray::scene::builtin::Builtin;
use siliray::trace::{Kernel, Mode};
use siliray::walk::hierarchy;

/// The size of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl Size {
    /// How many times it is as wide as it is high.
    pub(crate) fn aspect(self) -> f32 {
        self.width as f32 / self.height as f32
    }
}

/// More threads than this only cost memory.
const MOST_THREADS: usize = 256;

/// A number of threads.
pub(crate) fn threads(text: &str) -> Result<usize, String> {
    count(text, 1, MOST_THREADS)
}

/// A number of triangles of a built-in scene.
pub(crate) fn triangles(text: &str) -> Result<usize, String> {
    count(text, Builtin::FEWEST_TRIANGLES, Builtin::MOST_TRIANGLES)
}

/// A whole number between two others; `1e6` and `200_000` are understood.
pub(crate) fn count(text: &str, least: usize, most: usize) -> Result<usize, String> {
    let expected = || format!("expected a whole number from {least} to {most}");
    let digits = text.replace('_', "");
    let exponent = digits.contains(['e', 'E']).then(|| digits.parse::<f64>());
    let number = match exponent {
        // Every whole number up to 2^53 is an f64 and a usize.
        Some(Ok(value)) if value.fract() == 0.0 && (0.0..=9.0e15).contains(&value) => {
            value as usize
        }
        Some(_) => return Err(expected()),
        None => digits.parse().map_err(|_| expected())?,
    };
    if (least..=most).contains(&number) { Ok(number) } else { Err(expected()) }
}

/// Entries of a traversal stack. Which of them a machine has is the machine's to say.
pub(crate) fn stack_size(text: &str) -> Result<u8, String> {
    count(text, 1, u8::MAX.into()).map(|size| size as u8)
}

/// A mode of the fast tracer; `in_place` is understood too.
pub(crate) fn trace_mode(text: &str) -> Result<Mode, String> {
    let typed = text.replace('_', "-");
    let known = Mode::ALL.map(|mode| mode.name().replace('_', "-"));
    let found = Mode::ALL.into_iter().zip(&known).find(|(_, name)| **name == typed);
    found.map(|(mode, _)| mode).ok_or_else(|| format!("modes are {}", known.join(" and ")))
}

/// A kernel of the tracer, by name.
pub(crate) fn kernel(text: &str) -> Result<Kernel, String> {
    let names = Kernel::ALL.map(Kernel::name);
    let found = Kernel::ALL.into_iter().find(|kernel| kernel.name() == text);
    found.ok_or_else(|| format!("kernels are {}", names.join(", ")))
}

/// A layout of files of rays and hits, by name.
pub(crate) fn layout(text: &str) -> Result<Layout, String> {
    let found = Layout::ALL.into_iter().find(|layout| layout.name() == text);
    found.ok_or_else(|| format!("layouts are {}", Layout::ALL.map(Layout::name).join(", ")))
}

/// A position, counted from 0.
pub(crate) fn index(text: &str) -> Result<usize, String> {
    count(text, 0, u32::MAX as usize)
}

/// A seed: any number of 64 bits; hex with `0x`.
pub(crate) fn seed(text: &str) -> Result<u64, String> {
    let exact = |number: usize| number as u64;
    let number = whole(text).or_else(|| count(text, 0, usize::MAX).ok().map(exact));
    number.ok_or_else(|| format!("expected a whole number from 0 to {}", u64::MAX))
}

/// `800x600`.
pub(crate) fn size(text: &str) -> Result<Size, String> {
    let wrong = || "expected WIDTHxHEIGHT in pixels, such as 800x600".to_owned();
    let (width, height) = text.split_once(['x', 'X', '×']).ok_or_else(wrong)?;
    let side = |text: &str| text.trim().parse::<u32>().map_err(|_| wrong());
    let (width, height) = (side(width)?, side(height)?);
    if width == 0 || height == 0 {
        return Err("a picture needs at least one pixel on each side".to_owned());
    }
    if width.max(height) > MAX_SIDE || u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(format!(
            "at most {MAX_SIDE} pixels on a side and {MAX_PIXELS} in all (8K is 7680x4320)"
        ));
    }
    Ok(Size { width, height })
}

/// The view that is asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum View {
    /// By its numbers.
    Camera(Camera),
    /// By the name of a camera of the scene.
    Named(String),
}

/// A name, or the numbers of a camera: a name has no comma.
pub(crate) fn view(text: &str) -> Result<View, String> {
    if text.contains(',') || text.trim().parse::<f32>().is_ok() {
        return camera(text).map(View::Camera);
    }
    Ok(View::Named(text.to_owned()))
}

/// `ex,ey,ez,tx,ty,tz,fov`, and perhaps `ux,uy,uz`.
fn camera(text: &str) -> Result<Camera, String> {
    let numbers: Vec<f32> = text
        .split(',')
        .map(|part| {
            let part = part.trim();
            part.parse().map_err(|_| format!("{part:?} is not a number"))
        })
        .collect::<Result<_, _>>()?;
    cameras::from_numbers(&numbers).map_err(|error| error.to_string())
}

/// A number in decimal or, with `0x`, in hex; underscores may part its digits.
fn whole(text: &str) -> Option<u64> {
    let digits = text.trim().replace('_', "");
    let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    match hex {
        // The parser would accept a sign.
        Some(hex) if hex.starts_with('+') => None,
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    }
}

/// An address of 48 bits.
pub(crate) fn address(text: &str) -> Result<u64, String> {
    match whole(text) {
        Some(number) if number < 1 << 48 => Ok(number),
        Some(_) => Err(format!("{} is out of range: an address has 48 bits", text.trim())),
        None => Err("expected an address of 48 bits, such as 0x7f0000001000".to_owned()),
    }
}

/// A word of 32 bits, such as a node pointer.
pub(crate) fn word(text: &str) -> Result<u32, String> {
    let number = whole(text).and_then(|number| u32::try_from(number).ok());
    number.ok_or_else(|| "expected a number of 32 bits, such as 0x15".to_owned())
}

/// A number of levels of a tree.
pub(crate) fn levels(text: &str) -> Result<u32, String> {
    let levels = word(text).ok().filter(|&levels| levels > 0);
    levels.ok_or_else(|| "expected a number of levels, such as 3".to_owned())
}

/// A pointer of any format.
pub(crate) fn pointer(text: &str) -> Result<u64, String> {
    whole(text).ok_or_else(|| "expected a number of 64 bits, such as 0x15".to_owned())
}

/// What to find in an image: a primitive, a byte or a point.
pub(crate) fn find(text: &str) -> Result<Wanted, String> {
    if let Some(offset) = text.trim().strip_prefix('@') {
        let offset = whole(offset).map(Wanted::Offset);
        return offset.ok_or_else(|| "expected a byte of the file, such as @0x1c80".to_owned());
    }
    if text.contains(',') {
        return vector(text).map(Wanted::Point);
    }
    match primitive(text) {
        Ok(hierarchy::Wanted { instance: None, geometry, primitive }) => {
            Ok(Wanted::Primitive { geometry, primitive })
        }
        _ => {
            Err("expected a primitive (1042 or geometry:primitive), a byte of the file (@0x1c80) \
                  or a point (0.1,0.2,0.3)"
                .to_owned())
        }
    }
}

/// How bad a finding is.
pub(crate) fn severity(text: &str) -> Result<Severity, String> {
    let all = [Severity::Error, Severity::Warning, Severity::Note];
    let found = all.into_iter().find(|severity| severity.name() == text);
    found.ok_or_else(|| "expected error, warning or note".to_owned())
}

/// An instance mask.
pub(crate) fn mask(text: &str) -> Result<u8, String> {
    let number = whole(text).and_then(|number| u8::try_from(number).ok());
    number.ok_or_else(|| "expected a mask of 8 bits, such as 0xff".to_owned())
}

/// A float, by value or, with `0x` and eight digits, by its bits.
pub(crate) fn float(text: &str) -> Result<f32, String> {
    let text = text.trim();
    if let Some(bits) = text.strip_prefix("0x").filter(|digits| digits.len() == 8) {
        let bits =
            u32::from_str_radix(bits, 16).map_err(|_| format!("{text:?} is not a number"))?;
        return Ok(f32::from_bits(bits));
    }
    text.parse().map_err(|_| format!("{text:?} is not a number"))
}

/// So many numbers, called `names`.
fn floats<const N: usize>(text: &str, names: &str) -> Result<[f32; N], String> {
    let numbers: Vec<f32> = text.split(',').map(float).collect::<Result<_, _>>()?;
    let found = numbers.len();
    numbers.try_into().map_err(|_| format!("expected {N} numbers, {names}, found {found}"))
}

/// `x,y,z`.
pub(crate) fn vector(text: &str) -> Result<[f32; 3], String> {
    floats(text, "x,y,z")
}

/// Two vectors, whose numbers are called `names`.
fn two_vectors(text: &str, names: &str) -> Result<[Vec3; 2], String> {
    let [a, b, c, d, e, f] = floats(text, names)?;
    Ok([Vec3::new(a, b, c), Vec3::new(d, e, f)])
}

/// `minx,miny,minz,maxx,maxy,maxz`.
pub(crate) fn aabb(text: &str) -> Result<Aabb, String> {
    let bounds = node_box(text)?;
    if bounds.is_finite() { Ok(bounds) } else { Err("a box needs finite planes".to_owned()) }
}

/// The same for a box that may be open on a side, as the box of a node may (B-5).
pub(crate) fn node_box(text: &str) -> Result<Aabb, String> {
    let [min, max] = two_vectors(text, "minx,miny,minz,maxx,maxy,maxz")?;
    let bounds = Aabb::new(min, max);
    check_box(&bounds).map_err(|error| error.to_string())?;
    Ok(bounds)
}

/// `x,y,z,radius`.
pub(crate) fn sphere(text: &str) -> Result<Sphere, String> {
    let [x, y, z, radius] = floats(text, "x,y,z,radius")?;
    let sphere = Sphere { center: Vec3::new(x, y, z), radius };
    sphere.beam().map(|_| sphere).map_err(|error| error.to_string())
}

/// A camera, or the twelve numbers of eye, forward, right and up; all depths of it.
pub(crate) fn frustum(text: &str) -> Result<Frustum, String> {
    let numbers: Vec<f32> = text.split(',').map(float).collect::<Result<_, _>>()?;
    let (near, far) = (0.0, f32::INFINITY);
    let frustum = match numbers.len() {
        12 => {
            let vector = |place: usize| Vec3::from_slice(&numbers[3 * place..]);
            let [eye, forward, right, up] = [0, 1, 2, 3].map(vector);
            Frustum { eye, forward, right, up, near, far }
        }
        7 | 10 => camera(text)?.frustum(1.0, near, far),
        found => return Err(format!("expected 7, 10 or 12 numbers, found {found}")),
    };
    frustum.beam().map(|_| frustum).map_err(|error| error.to_string())
}

/// `ox,oy,oz,dx,dy,dz`.
pub(crate) fn ray(text: &str) -> Result<Ray, String> {
    let [origin, direction] = two_vectors(text, "ox,oy,oz,dx,dy,dz")?;
    Ok(Ray::new(origin, direction))
}

/// `w0,w1,w2,w3`.
pub(crate) fn resource(text: &str) -> Result<Resource, String> {
    let words: Vec<u32> = text.split(',').map(word).collect::<Result<_, _>>()?;
    let found = words.len();
    let words = words.try_into().map_err(|_| format!("expected 4 words, found {found}"))?;
    Ok(Resource::from_words(words))
}

/// Flags of a base pointer: names with commas between them, or a number.
pub(crate) fn pointer_flags(text: &str) -> Result<PointerFlags, String> {
    let number = whole(text).and_then(|number| u16::try_from(number).ok());
    if let Some(flags) = number {
        return PointerFlags::from_bits(flags)
            .ok_or_else(|| format!("{text} has more than the ten flags, 0x3ff"));
    }
    text.split(',').map(str::trim).try_fold(PointerFlags::empty(), |flags, name| {
        let flag = PointerFlags::from_name(&name.to_uppercase());
        flag.map(|flag| flags | flag).ok_or_else(|| {
            let known = PointerFlags::all();
            let known: Vec<String> =
                known.iter_names().map(|(name, _)| name.to_lowercase()).collect();
            format!("{name:?} is no flag; flags are {}", known.join(", "))
        })
    })
}

/// A pixel, as X,Y.
pub(crate) fn pixel(text: &str) -> Result<[u32; 2], String> {
    let parts = text.split_once(',');
    let number = |part: &str| part.trim().parse().ok();
    let pixel = parts.and_then(|(x, y)| Some([number(x)?, number(y)?]));
    pixel.ok_or_else(|| "expected X,Y, such as 400,300".to_owned())
}

/// A range of steps, as A..B, A.. or ..B.
pub(crate) fn steps(text: &str) -> Result<std::ops::Range<usize>, String> {
    let wrong = || "expected a range of steps, such as 10..40".to_owned();
    let (first, last) = text.split_once("..").ok_or_else(wrong)?;
    let number = |part: &str, default| match part.trim() {
        "" => Ok(default),
        part => part.parse().map_err(|_| wrong()),
    };
    let steps = number(first, 0)?..number(last, usize::MAX)?;
    if steps.is_empty() { Err(format!("{text} holds no step")) } else { Ok(steps) }
}

/// A primitive, as P, G:P or I:G:P.
pub(crate) fn primitive(text: &str) -> Result<hierarchy::Wanted, String> {
    let wanted =
        |instance, geometry, primitive| hierarchy::Wanted { instance, geometry, primitive };
    let parts = text.split(':').map(|part| part.trim().parse::<u32>());
    let numbers = parts.collect::<Result<Vec<u32>, _>>().unwrap_or_default();
    match *numbers.as_slice() {
        [primitive] => Ok(wanted(None, None, primitive)),
        [geometry, primitive] => Ok(wanted(None, Some(geometry), primitive)),
        [instance, geometry, primitive] => Ok(wanted(Some(instance), Some(geometry), primitive)),
        _ => Err("expected a primitive, geometry:primitive or instance:geometry:primitive".into()),
    }
}

/// A setting, as KEY=VALUE.
pub(crate) fn setting(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(key, value)| !key.is_empty() && !value.is_empty());
    let (key, value) = pair.ok_or("expected KEY=VALUE, such as policy=radv")?;
    Ok((key.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        assert_eq!(count("42", 1, 99), Ok(42));
        assert_eq!(count("2e1", 1, 99), Ok(20));
        assert_eq!(count("1_0", 1, 99), Ok(10));
        for bad in ["0", "-1", "100", "1e12", "1e400", "1.5", "15e-1", "nan", "inf", "", "x", "1e"]
        {
            let error = count(bad, 1, 99).unwrap_err();
            assert_eq!(error, "expected a whole number from 1 to 99", "{bad}");
        }
    }

    #[test]
    fn seeds() {
        assert_eq!(["7", "1e3", "0x10"].map(seed), [Ok(7), Ok(1000), Ok(16)]);
        assert_eq!(seed("18446744073709551615"), Ok(u64::MAX));
        for bad in ["-1", "1.5", "1e30", "18446744073709551616", "x", ""] {
            let expected = "expected a whole number from 0 to 18446744073709551615";
            assert_eq!(seed(bad).unwrap_err(), expected, "{bad}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(size("800x600"), Ok(Size { width: 800, height: 600 }));
        assert_eq!(size("1X2"), Ok(Size { width: 1, height: 2 }));
        for bad in ["0x0", "0x5", "5x0", "100000x100000", "16384x16384", "800", "axb", "-1x5", "x"]
        {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn words_and_floats() {
        assert_eq!((word("0x15"), word("1_6")), (Ok(0x15), Ok(16)));
        for bad in ["", "0x", "-1", "0x1_0000_0000", "0x+1", "x", "1.5"] {
            assert!(word(bad).is_err(), "{bad}");
        }
        assert_eq!(address("0xffff_ffff_ffff"), Ok((1 << 48) - 1));
        assert!(address("0x1000000000000").is_err());
        assert_eq!((mask("255"), mask("0x100").is_err()), (Ok(255), true));
        assert_eq!(vector("1, -2.5,0x3f800000"), Ok([1.0, -2.5, 1.0]));
        assert!(vector("1,2").is_err() && vector("1,2,3,4").is_err() && vector("a,b,c").is_err());
        assert!(resource("1,2,3").is_err());
        assert_eq!(resource("0,1,2,0x80000000").map(|r| r.words()), Ok([0, 1, 2, 0x8000_0000]));
        let both = PointerFlags::FORCE_OPAQUE | PointerFlags::SKIP_PROCEDURAL;
        assert_eq!(pointer_flags("force_opaque, skip_procedural"), Ok(both));
        assert_eq!(pointer_flags("0x201"), Ok(both));
        assert!(pointer_flags("0x400").is_err() && pointer_flags("opaque").is_err());
    }

    #[test]
    fn cameras() {
        let camera_of = |text| camera(text).unwrap();
        let plain = camera_of("1,2,3, -4,5,6,45");
        assert_eq!(
            (plain.eye, plain.target),
            (Vec3::new(1.0, 2.0, 3.0), Vec3::new(-4.0, 5.0, 6.0))
        );
        assert_eq!((plain.up, plain.fov), (Vec3::Y, 45.0));
        assert_eq!(camera_of("0,9,0,0,0,0,45").up, Vec3::NEG_Z);
        assert_eq!(camera_of("0,9,0,0,0,0,45,1,0,-2").up, Vec3::new(1.0, 0.0, -2.0));
        for bad in [
            "1,2,3,4,5,6",
            "1,2,3,4,5,6,7,8",
            "1,2,3,4,5,6,45,0,0,0",
            "0,9,0,0,0,0,45,0,1,0",
            "1,2,3,4,5,6,45,0,1,0,0",
            "NaN,2,3,4,5,6,45",
            "1,2,inf,4,5,6,45",
            "1,2,3,1,2,3,45",
            "1,2,3,4,5,6,0",
            "1,2,3,4,5,6,180",
            "1,2,3,4,5,six,45",
            "",
        ] {
            assert!(camera(bad).is_err(), "{bad}");
        }
    }
}
