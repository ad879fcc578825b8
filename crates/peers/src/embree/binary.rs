//! Embree's builder, asked for a binary hierarchy through callbacks, so that its quality can be
//! compared.

use super::device::Device;
use super::find;
use super::layout::{RtcBounds, RtcBuildPrimitive};
use super::library::{CreateNode, Handle, SetBounds, SetChildren, Shared, Version};
use crate::PeerError;
use geometry::{Aabb, Triangle, Vec3};
use std::ffi::c_void;
use std::sync::Arc;
use std::time::Instant;

/// `RTC_BUILD_QUALITY_MEDIUM`: binned SAH, no spatial splits.
const MEDIUM_QUALITY: i32 = 1;

/// A hierarchy as deep as any.
const MAX_DEPTH: u32 = 64;

/// `RTCBuildArguments`.
#[repr(C)]
struct BuildArguments {
    byte_size: usize,
    quality: i32,
    flags: i32,
    max_branching_factor: u32,
    max_depth: u32,
    sah_block_size: u32,
    min_leaf_size: u32,
    max_leaf_size: u32,
    traversal_cost: f32,
    intersection_cost: f32,
    bvh: Handle,
    primitives: *mut RtcBuildPrimitive,
    primitive_count: usize,
    primitive_capacity: usize,
    create_node: CreateNode,
    set_children: SetChildren,
    set_bounds: SetBounds,
    create_leaf: extern "C" fn(Handle, *const RtcBuildPrimitive, usize, Handle) -> Handle,
    split_primitive: *const c_void,
    progress: *const c_void,
    user: Handle,
}

/// What the callbacks make of a node: its children with their boxes, or a number of triangles.
#[derive(Clone, Copy)]
#[repr(C)]
struct Node {
    children: [*const Node; 2],
    bounds: [RtcBounds; 2],
    child_count: u32,
    triangles: u32,
}

/// Figures of a binary hierarchy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BinaryFigures {
    /// Surface-area cost: a box and a triangle cost 1 each, over the area of the root.
    pub sah_cost: f64,
    /// Time of the build.
    pub seconds: f64,
}

/// Builds `triangles` with Embree 4's medium builder: binary, costs 1 and 1, leaves of at most
/// `max_leaf`.
///
/// # Errors
/// When Embree 4 is not here or fails.
pub fn medium(triangles: &[Triangle], max_leaf: u32) -> Result<BinaryFigures, PeerError> {
    let device = Device::new(Arc::new(find::library(Version::Four)?), "")?;
    let shared = &device.functions.shared;
    let mut primitives: Vec<RtcBuildPrimitive> =
        triangles.iter().zip(0..).map(|(triangle, index)| primitive(triangle, index)).collect();
    let root_bounds = triangles.iter().fold(Aabb::EMPTY, |all, t| all.union(t.bounds()));
    // SAFETY: the device is alive.
    let bvh = unsafe { (shared.new_bvh)(device.handle) };
    let arguments = BuildArguments {
        byte_size: size_of::<BuildArguments>(),
        quality: MEDIUM_QUALITY,
        flags: 0,
        max_branching_factor: 2,
        max_depth: MAX_DEPTH,
        sah_block_size: 1,
        min_leaf_size: 1,
        max_leaf_size: max_leaf,
        traversal_cost: 1.0,
        intersection_cost: 1.0,
        bvh,
        primitives: primitives.as_mut_ptr(),
        primitive_count: primitives.len(),
        primitive_capacity: primitives.len(),
        create_node,
        set_children,
        set_bounds,
        create_leaf,
        split_primitive: std::ptr::null(),
        progress: std::ptr::null(),
        user: std::ptr::from_ref::<Shared>(shared).cast_mut().cast(),
    };
    let start = Instant::now();
    // SAFETY: the arguments are laid out as `RTCBuildArguments`; primitives and user pointer
    // outlive the call.
    let root = unsafe { (shared.build_bvh)(std::ptr::from_ref(&arguments).cast()) };
    let seconds = start.elapsed().as_secs_f64();
    device.check("building the hierarchy")?;
    // SAFETY: the callbacks return pointers to nodes alone, in memory that the hierarchy owns and
    // that is released only below.
    let root = unsafe { root.cast_const().cast::<Node>().as_ref() };
    let area = f64::from(root_bounds.half_area());
    let cost = root.map_or(0.0, |root| cost(root, area) / area);
    // SAFETY: no node is used any more.
    unsafe { (shared.release_bvh)(bvh) };
    Ok(BinaryFigures { sah_cost: cost, seconds })
}

fn primitive(triangle: &Triangle, index: u32) -> RtcBuildPrimitive {
    let Aabb { min, max } = triangle.bounds();
    RtcBuildPrimitive {
        lower: min.to_array(),
        geometry: 0,
        upper: max.to_array(),
        primitive: index,
    }
}

/// The cost of everything below an entry whose box has half the area `area`, not yet divided by the
/// root's.
fn cost(root: &Node, area: f64) -> f64 {
    let mut open = vec![(root, area)];
    let mut sum = 0.0;
    while let Some((node, area)) = open.pop() {
        if node.child_count == 0 {
            sum += area * f64::from(node.triangles);
            continue;
        }
        sum += area;
        for (child, bounds) in node.children.iter().zip(&node.bounds) {
            let bounds = Aabb::new(Vec3::from_array(bounds.lower), Vec3::from_array(bounds.upper));
            // SAFETY: every child of an inner node is a node that a callback has made.
            if let Some(child) = unsafe { child.as_ref() } {
                open.push((child, f64::from(bounds.half_area())));
            }
        }
    }
    sum
}

/// Room for a node in the hierarchy's own memory.
fn allocate(allocator: Handle, user: Handle, node: Node) -> Handle {
    // SAFETY: the user pointer is the table of functions that outlives the build.
    let shared = unsafe { &*user.cast_const().cast::<Shared>() };
    // SAFETY: the allocator is the one of the callback.
    let place =
        unsafe { (shared.thread_local_alloc)(allocator, size_of::<Node>(), align_of::<Node>()) };
    // SAFETY: the place has the size and alignment of a node.
    unsafe { place.cast::<Node>().write(node) };
    place
}

const EMPTY: Node = Node {
    children: [std::ptr::null(); 2],
    bounds: [RtcBounds { lower: [0.0; 3], padding_0: 0.0, upper: [0.0; 3], padding_1: 0.0 }; 2],
    child_count: 0,
    triangles: 0,
};

extern "C" fn create_node(allocator: Handle, child_count: u32, user: Handle) -> Handle {
    allocate(allocator, user, Node { child_count, ..EMPTY })
}

extern "C" fn create_leaf(
    allocator: Handle,
    _primitives: *const RtcBuildPrimitive,
    count: usize,
    user: Handle,
) -> Handle {
    allocate(allocator, user, Node { triangles: count as u32, ..EMPTY })
}

extern "C" fn set_children(node: Handle, children: *const Handle, count: u32, _user: Handle) {
    // SAFETY: the node is one that `create_node` has made and no other thread knows yet.
    let node = unsafe { &mut *node.cast::<Node>() };
    // SAFETY: Embree gives as many children as it says.
    let children = unsafe { std::slice::from_raw_parts(children, count as usize) };
    for (place, child) in node.children.iter_mut().zip(children) {
        *place = child.cast_const().cast();
    }
}

extern "C" fn set_bounds(node: Handle, bounds: *const *const RtcBounds, count: u32, _user: Handle) {
    // SAFETY: as in `set_children`.
    let node = unsafe { &mut *node.cast::<Node>() };
    // SAFETY: Embree gives as many boxes as it says.
    let bounds = unsafe { std::slice::from_raw_parts(bounds, count as usize) };
    for (place, bounds) in node.bounds.iter_mut().zip(bounds) {
        // SAFETY: each points to a box that is alive during the call.
        *place = unsafe { **bounds };
    }
}
