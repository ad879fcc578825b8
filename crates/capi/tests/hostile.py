"""Calls of the C library that nobody should make: each is an error code, and nothing breaks.

Usage: hostile.py LIBSILIRAY IMAGE, where IMAGE is a sound file.
"""

import ctypes as c
import os
import random
import sys
import threading
import unittest

STATUS = {
    name: number
    for number, name in enumerate(
        "OK NULL_POINTER MISALIGNED SIZE TEXT STALE_ID WRONG_KIND INDEX UNKNOWN_NAME OPTION BROKEN"
        " UNSOUND UNSUPPORTED NO_STRUCTURE NO_ANSWER SCENE EXHAUSTED DEFECT".split()
    )
}
OK = STATUS["OK"]
# As large as any record, with room to be misaligned in.
ROOM = 1024
FLIPS = 1000

library = c.CDLL(sys.argv[1])
sound = open(sys.argv[2], "rb").read()

P, ID, SIZE = c.c_void_p, c.c_uint64, c.c_size_t
SIGNATURES = {
    "context_new": [P, P, P],
    "context_free": [P, P],
    "release": [P, ID, P],
    "image_read": [P, P, SIZE, P, P, P],
    "image_about": [P, ID, P, P],
    "image_structure": [P, ID, SIZE, P, P],
    "intersect": [P, ID, P, P, P],
    "scene_read": [P, P, P, SIZE, P, P],
    "scene_triangles": [P, P, SIZE, P, SIZE, P, P],
    "check": [P, ID, ID, P, P],
    "check_update": [P, ID, ID, P, P, P],
    "report_summary": [P, ID, P, P],
    "report_finding": [P, ID, SIZE, P, P],
    "describe": [P, ID, c.c_uint64, P, P],
    "description_record": [P, ID, SIZE, P, P],
    "description_field": [P, ID, SIZE, SIZE, P, P],
    "stats": [P, ID, P, P],
    "stats_structure": [P, ID, SIZE, P, P],
    "stats_figure": [P, ID, SIZE, SIZE, P, P],
    "walk": [P, ID, P, P, SIZE, P, P],
    "walk_answer": [P, ID, P, P],
    "walk_hit": [P, ID, SIZE, P, P],
    "walk_step": [P, ID, SIZE, P, P],
    "image_bvh64_intersect_ray": [c.c_uint32, P, SIZE, c.c_uint64, P, P, P, P],
    "image_bvh8_intersect_ray": [P, SIZE, c.c_uint64, P, P, P, P],
    "image_bvh_dual_intersect_ray": [P, SIZE, c.c_uint64, P, P, P, P],
}
for _name, _types in SIGNATURES.items():
    _function = getattr(library, "siliray_" + _name)
    _function.argtypes, _function.restype = _types, c.c_int32
library.siliray_status_text.restype = c.c_char_p
library.siliray_version.restype = c.c_char_p


class Error(c.Structure):
    _fields_ = [("status", c.c_int32), ("text", c.c_char * 508)]


class Summary(c.Structure):
    _fields_ = [(name, c.c_uint64) for name in "nodes errors warnings notes findings".split()]


class Operands(c.Structure):
    _fields_ = [
        ("nodes", c.c_uint32 * 2),
        ("mask", c.c_uint32),
        ("flags", c.c_uint32),
        ("extent", c.c_float),
        ("origin", c.c_float * 3),
        ("direction", c.c_float * 3),
        ("resource", P),
    ]


class Reading(c.Structure):
    _fields_ = [
        ("name", c.c_char_p),
        ("format", c.c_char_p),
        ("writer", c.c_char_p),
        ("kind", c.c_uint32),
        ("starts_in_structure", c.c_uint32),
        ("structure", SIZE),
        ("base", c.c_uint64),
        ("primitive_base", c.c_uint64),
        ("root", c.c_uint64),
        ("address", c.c_uint64),
    ]


class Ray(c.Structure):
    _fields_ = [
        ("origin", c.c_float * 3),
        ("direction", c.c_float * 3),
        ("tmin", c.c_float),
        ("tmax", c.c_float),
        ("mask", c.c_uint32),
        ("flags", c.c_uint32),
        ("kind", c.c_uint32),
    ]


def call(name, *arguments):
    """The status of a call, by name; its error record says the same."""
    error = Error()
    status = getattr(library, "siliray_" + name)(*arguments, c.byref(error))
    assert error.status == status, (name, error.status, status)
    assert (status == OK) == (error.text == b""), (name, status, error.text)
    assert status != STATUS["DEFECT"], (name, error.text)
    return next(known for known, number in STATUS.items() if number == status)


class Hostile(unittest.TestCase):
    def setUp(self):
        self.context = P()
        self.assertEqual(call("context_new", None, c.byref(self.context)), "OK")

    def tearDown(self):
        call("context_free", c.byref(self.context))

    def made(self, name, *arguments):
        made = ID()
        self.assertEqual(call(name, self.context, *arguments, c.byref(made)), "OK")
        return made.value

    def image(self, data=sound, reading=None):
        return self.made("image_read", data, len(data), reading)

    def summary(self, report):
        summary = Summary()
        self.assertEqual(call("report_summary", self.context, report, c.byref(summary)), "OK")
        return summary

    def test_null_everywhere(self):
        """Every call with every pointer null, and with one pointer null at a time."""
        self.image()
        for name, types in SIGNATURES.items():
            numbers = [0 if kind is not P else None for kind in types]
            self.assertNotEqual(getattr(library, "siliray_" + name)(*numbers), OK, name)
            for present in range(len(types)):
                if types[present] is P and name != "context_free":
                    # A context must be one: other places may hold anything.
                    room = (c.c_uint8 * ROOM)()
                    arguments = list(numbers)
                    is_context = present == 0 and name != "context_new"
                    is_context = is_context and not name.startswith("image_bvh")
                    arguments[present] = self.context if is_context else c.addressof(room)
                    status = getattr(library, "siliray_" + name)(*arguments)
                    self.assertNotEqual(status, STATUS["DEFECT"], name)
                    if name != "context_new":
                        self.assertNotEqual(status, OK, (name, present))

    def test_misaligned_records(self):
        image = self.image()
        room = (c.c_uint8 * ROOM)()
        odd = c.addressof(room) + 1
        for name in ("image_about", "report_summary", "walk_answer"):
            self.assertEqual(call(name, self.context, image, odd), "MISALIGNED")
        self.assertEqual(call("check", self.context, image, 0, odd), "MISALIGNED")
        self.assertEqual(call("context_new", odd, c.byref(P())), "MISALIGNED")
        self.assertEqual(call("context_new", None, odd), "MISALIGNED")
        self.assertEqual(
            call("image_read", self.context, sound, len(sound), odd, c.byref(ID())), "MISALIGNED"
        )
        made = ID()
        status = library.siliray_check(self.context, image, 0, c.byref(made), odd)
        self.assertEqual((status, made.value), (STATUS["MISALIGNED"], 0))

    def test_bytes_may_lie_anywhere(self):
        expected = self.summary(self.made("check", self.image(), 0))
        for shift in range(1, 17):
            room = (c.c_uint8 * (len(sound) + shift))()
            c.memmove(c.addressof(room) + shift, sound, len(sound))
            image = self.made("image_read", c.addressof(room) + shift, len(sound), None)
            summary = self.summary(self.made("check", image, 0))
            self.assertEqual(summary.nodes, expected.nodes)
            self.assertEqual(summary.errors, 0)

    def test_sizes(self):
        out = c.byref(ID())
        for size in (0, 2**64 - 1, 2**63, 2**63 - 1, 2**40):
            self.assertEqual(call("image_read", self.context, sound, size, None, out), "SIZE")
            self.assertEqual(call("scene_read", self.context, b"a.obj", sound, size, out), "SIZE")
            for other in (1, size):
                arguments = (self.context, sound, size, sound, other, out)
                self.assertEqual(call("scene_triangles", *arguments), "SIZE")
        for size in (0, 2**64 - 1, 2**63):
            self.assertEqual(self.bvh8(size), "SIZE")
        for size in (1, 2, 7, 8, 100, 1000, len(sound) - 1):
            report = self.made("check", self.made("image_read", sound, size, None), 0)
            self.assertGreater(self.summary(report).errors, 0, size)

    def bvh8(self, size):
        words = (c.c_uint32 * 64)()
        return call("image_bvh8_intersect_ray", sound, size, 0, words, words, (c.c_uint32 * 64)())

    def test_ids(self):
        image = self.image()
        report = self.made("check", image, 0)
        out = (c.c_uint8 * ROOM)()
        for wrong in (0, 1 << 32 | 1, 77, 2**64 - 1, report + 1, image ^ 1 << 63):
            self.assertEqual(call("release", self.context, wrong), "STALE_ID")
            self.assertEqual(call("check", self.context, wrong, 0, out), "STALE_ID")
            self.assertEqual(call("describe", self.context, wrong, 0x15, out), "STALE_ID")
            self.assertEqual(call("walk_answer", self.context, wrong, out), "STALE_ID")
            self.assertEqual(call("stats_structure", self.context, wrong, 0, out), "STALE_ID")
        self.assertEqual(call("check", self.context, report, 0, out), "WRONG_KIND")
        self.assertEqual(call("check", self.context, image, image, out), "WRONG_KIND")
        self.assertEqual(call("report_summary", self.context, image, out), "WRONG_KIND")
        self.assertEqual(call("release", self.context, image), "OK")
        self.assertEqual(call("release", self.context, image), "STALE_ID")
        self.assertEqual(call("check", self.context, image, 0, out), "STALE_ID")
        again = self.image()
        self.assertNotEqual(again, image)
        self.assertEqual(call("check", self.context, image, 0, out), "STALE_ID")
        self.assertEqual(call("report_finding", self.context, report, 2**64 - 1, out), "INDEX")

    def test_a_context_is_freed_once(self):
        context = P()
        self.assertEqual(call("context_new", None, c.byref(context)), "OK")
        self.assertEqual(call("context_free", c.byref(context)), "OK")
        self.assertEqual(context.value, None)
        self.assertEqual(call("context_free", c.byref(context)), "NULL_POINTER")
        self.assertEqual(call("release", context, 1), "NULL_POINTER")

    def test_names_and_options(self):
        image, out = self.image(), c.byref(ID())
        ray = Ray((0, 0, 0), (0, 0, 1), 0, 1e9, 255, 0, 0)
        walk = lambda machine, ray: call(
            "walk", self.context, image, machine, c.byref(ray), 10, out
        )
        self.assertEqual(walk(b"no such machine", ray), "UNKNOWN_NAME")
        self.assertEqual(walk(b"\xff\xfe", ray), "TEXT")
        self.assertEqual(walk(b"gfx12-dual", ray), "UNSUPPORTED")
        for wrong in (
            Ray((0, 0, 0), (0, 0, 1), 0, 1, 256, 0, 0),
            Ray((0, 0, 0), (0, 0, 1), 0, 1, 255, 4, 0),
            Ray((0, 0, 0), (0, 0, 1), 0, 1, 255, 0, 3),
        ):
            self.assertEqual(walk(None, wrong), "OPTION")
        nan, infinite = float("nan"), float("inf")
        for odd in ((nan, 0, 1), (infinite, 0, 1), (0, 0, 0), (1e38, 1e38, 1e38)):
            self.assertEqual(walk(None, Ray(odd, odd, 0, infinite, 255, 0, 0)), "OK")
        read = lambda reading: call(
            "image_read", self.context, sound, len(sound), c.byref(reading), out
        )
        self.assertEqual(read(Reading(kind=2)), "OPTION")
        self.assertEqual(read(Reading(kind=1, starts_in_structure=1)), "OPTION")
        self.assertEqual(read(Reading(format=b"gfx99")), "UNKNOWN_NAME")
        self.assertEqual(read(Reading(name=b"\x80")), "TEXT")
        self.assertEqual(read(Reading(kind=1, writer=b"nobody")), "UNKNOWN_NAME")
        other = Reading(kind=0, format=b"gfx10-bvh4", writer=b"radv")
        self.assertEqual(read(other), "OPTION")
        self.assertEqual(read(Reading(starts_in_structure=1, structure=10**6)), "INDEX")
        self.assertEqual(call("describe", self.context, image, 2**64 - 1, out), "NO_STRUCTURE")
        options = (c.c_uint32 * 4)(10**6, 0, 0, 0)
        self.assertEqual(call("context_new", options, c.byref(P())), "OPTION")

    def test_scenes(self):
        floats, indices, out = (c.c_float * 9)(*range(9)), (c.c_uint32 * 3)(0, 1, 2), ID()
        scene = lambda: call(
            "scene_triangles", self.context, floats, 3, indices, 1, c.byref(out)
        )
        self.assertEqual(scene(), "OK")
        indices[2] = 3
        self.assertEqual(scene(), "SCENE")
        indices[2], floats[0] = 2, float("nan")
        self.assertIn(scene(), ("OK", "SCENE"))
        odd = c.addressof(floats) + 1
        arguments = (self.context, odd, 1, indices, 1, c.byref(out))
        self.assertEqual(call("scene_triangles", *arguments), "MISALIGNED")
        for name, data in ((b"a.obj", b"v 1 2\nf 9 9 9\n"), (b"a.ply", b"ply"), (b"", b"\0")):
            arguments = (self.context, name, data, len(data), c.byref(out))
            self.assertEqual(call("scene_read", *arguments), "SCENE")

    def test_raw_memory_of_any_bytes(self):
        """Raw memory of noise, in every format, at any base and root."""
        source = random.Random(18)
        formats = (b"gfx10-bvh4", b"gfx11-bvh4", b"gfx12", b"gfx12-bvh4x2", b"ttu", b"xphmg-fp32")
        formats += (b"cwbvh", b"tree")
        for _ in range(300):
            data = source.randbytes(source.choice((1, 64, 100, 128, 4096)))
            base, root = (source.choice((0, 64, source.getrandbits(64))) for _ in range(2))
            reading = Reading(b"noise", source.choice(formats), None, 1, 0, 0, base, base, root)
            image = self.image(data, c.byref(reading))
            out, room = ID(), (c.c_uint8 * ROOM)()
            if call("check", self.context, image, 0, c.byref(out)) == "OK":
                self.summary(out.value)
            call("describe", self.context, image, root, c.byref(out))
            call("stats", self.context, image, c.byref(out))
            call("image_about", self.context, image, room)
            call("image_structure", self.context, image, source.choice((0, 1, 2**63)), room)
            asked = Operands((root & 0xFFFFFFFF, 0xFFFFFFFF), 255, 0, 1e9, (0, 0, 0), (0, 0, 1))
            call("intersect", self.context, image, c.byref(asked), room)
            ray = Ray((0, 0, 0), (0, 0, 1), 0, 1e9, 255, 0, 2)
            call("walk", self.context, image, None, c.byref(ray), 10, c.byref(out))

    def test_instructions_take_any_registers(self):
        source = random.Random(12)
        for _ in range(2000):
            memory = source.randbytes(source.choice((1, 63, 64, 128, 256)))
            address = source.choice((0, 64, 2**48 - 64, source.getrandbits(64)))
            words = (c.c_uint32 * 4).from_buffer_copy(source.randbytes(16))
            operands = c.create_string_buffer(source.randbytes(128))
            out = (c.c_uint32 * 64)()
            arguments = (memory, len(memory), address, words, operands, out)
            self.assertEqual(call("image_bvh8_intersect_ray", *arguments), "OK")
            self.assertEqual(call("image_bvh_dual_intersect_ray", *arguments), "OK")
            for generation in (10, 11):
                self.assertEqual(call("image_bvh64_intersect_ray", generation, *arguments), "OK")
            self.assertEqual(call("image_bvh64_intersect_ray", 12, *arguments), "OPTION")

    def test_an_instruction_on_an_image(self):
        image = self.image()
        room = (c.c_uint32 * 64)()
        asked = Operands((0x15, 0xFFFFFFFF), 255, 0, 1e9, (0, 0, -9), (0, 0, 1), None)

        def intersect(**changes):
            changed = Operands.from_buffer_copy(asked)
            for name, value in changes.items():
                setattr(changed, name, value)
            return call("intersect", self.context, image, c.byref(changed), room)

        self.assertEqual(intersect(), "OK")
        self.assertEqual(intersect(nodes=(0x15, 0x25)), "OPTION")
        self.assertEqual(intersect(nodes=(0xFFFFFFFF, 0xFFFFFFFF)), "OPTION")
        self.assertEqual(intersect(nodes=(0x7FFFFFF5, 0xFFFFFFFF)), "NO_STRUCTURE")
        self.assertEqual(intersect(flags=1 << 10), "OPTION")
        self.assertEqual(intersect(flags=0xFFFFFFFF), "OPTION")
        self.assertEqual(intersect(mask=0xFFFFFFFF, extent=float("nan")), "OK")
        report = self.made("check", image, 0)
        wrong = call("intersect", self.context, report, c.byref(asked), room)
        self.assertEqual(wrong, "WRONG_KIND")

    def test_structures(self):
        image = self.image()
        room = (c.c_uint8 * ROOM)()
        levels = []
        for index in range(2):
            self.assertEqual(call("image_structure", self.context, image, index, room), "OK")
            levels.append(c.cast(c.c_void_p.from_buffer(room).value, c.c_char_p).value)
        self.assertEqual(sorted(levels), [b"BLAS", b"TLAS"])
        for index in (2, 2**32, 2**64 - 1):
            self.assertEqual(call("image_structure", self.context, image, index, room), "INDEX")

    def test_flips(self):
        """Random bits of a file: an error code, a finding, or the same walk."""
        source = random.Random(2026)
        ray = Ray((0.3, 0.2, 50), (0, 0, -1), 0, 1e9, 255, 0, 0)
        for _ in range(FLIPS):
            data = bytearray(sound)
            for _ in range(source.choice((1, 8))):
                bit = source.randrange(8 * len(data))
                data[bit // 8] ^= 1 << bit % 8
            out = ID()
            image = self.image(bytes(data))
            report = self.made("check", image, 0)
            summary = self.summary(report)
            status = call("walk", self.context, image, None, c.byref(ray), 5, c.byref(out))
            # A file may break rules around an image that is safe to walk.
            self.assertIn(status, ("OK", "BROKEN", "UNSOUND") if summary.errors else ("OK",))
            for released in (image, report):
                self.assertEqual(call("release", self.context, released), "OK")

    def test_threads(self):
        """Threads share an image, and fight over who releases what."""
        image, failures, released = self.image(), [], []
        shared = [self.made("check", image, 0) for _ in range(200)]
        nodes = self.summary(shared[0]).nodes

        def work(number):
            try:
                ray = Ray((0.1 * number, 0.2, 50), (0, 0, -1), 0, 1e9, 255, 0, 0)
                for round_ in range(20):
                    out, summary = ID(), Summary()
                    assert call("check", self.context, image, 0, c.byref(out)) == "OK"
                    status = call("report_summary", self.context, out, c.byref(summary))
                    assert (status, summary.nodes) == ("OK", nodes)
                    assert call("release", self.context, out) == "OK"
                    arguments = (image, None, c.byref(ray), 10, c.byref(out))
                    assert call("walk", self.context, *arguments) == "OK"
                    assert call("release", self.context, out) == "OK"
                    for report in shared[10 * round_ : 10 * round_ + 10]:
                        status = call("release", self.context, report)
                        assert status in ("OK", "STALE_ID")
                        released.append(status)
            except BaseException as failure:
                failures.append(failure)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        self.assertEqual(released.count("OK"), len(shared))

    def test_no_threads_are_left(self):
        """Every kind of call, and as many threads afterwards as before."""
        threads = lambda: len(os.listdir("/proc/self/task"))
        before, first = threads(), self.context
        self.context = P()
        self.assertEqual(call("context_new", None, c.byref(self.context)), "OK")
        self.assertGreater(threads(), before)
        floats, indices = (c.c_float * 9)(*range(9)), (c.c_uint32 * 3)(0, 1, 2)
        image = self.image()
        scene = self.made("scene_triangles", floats, 3, indices, 1)
        self.made("check", image, scene)
        self.made("check_update", image, image, None)
        self.made("describe", image, 0x15)
        self.made("stats", image)
        ray = Ray((0, 0, 50), (0, 0, -1), 0, 1e9, 255, 0, 0)
        self.made("walk", image, None, c.byref(ray), 10)
        self.assertEqual(call("context_free", c.byref(self.context)), "OK")
        self.context = first
        self.assertEqual(threads(), before)

    def test_texts(self):
        for number in (-1, 0, 17, 18, 2**31 - 1):
            self.assertTrue(library.siliray_status_text(number))
        self.assertRegex(library.siliray_version().decode(), r"^\d+\.\d+\.\d+$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
