/* XPHMG_RT for C and assembly: instructions as .insn, registers, structures.
 *
 * One header, no library. The specification is by Pedro H. M. Garcia (CC-BY-SA 4.0); encodings that
 * no revision publishes (custom-3) and the RT CSR numbers are siliray's. From C, every access is a
 * volatile statement, so the compiler keeps their order. */
#ifndef XPHMG_H
#define XPHMG_H

/* ---- Instructions --------------------------------------------------------------------------- */

/* Flags of RT.BBOX and RT.TRI. */
#define RT_T_CLAMP 1
#define RT_CULL_BACK 1
#define RT_PRED_ONLY 2
#define RT_PACK_HINT 4
#define RT_W_GUARD 8
#define RT_EPS_CTL 8

#ifdef __ASSEMBLER__
#define RT_BBOX(rd, rs1, flags) .insn i 0x0b, 6, rd, rs1, flags
#define RT_TRI(rd, rs1, flags) .insn i 0x0b, 7, rd, rs1, flags
#define SVSETVL(rd, rs1) .insn i 0x0b, 0, rd, rs1, 0
#define SVSETVL_I(rd, vl) .insn i 0x0b, 0, rd, x0, vl
#define SVON_ONE .insn i 0x0b, 1, x0, x0, 1
#define SVON_BLK(n) .insn i 0x0b, 2, x0, x0, n
#define SVEND .insn i 0x0b, 3, x0, x0, 0
#define SVP_ONE_VLSTEP(vl, s, d) \
    .insn i 0x0b, 4, x0, x0, ((((vl) - 1) << 6) | ((s) << 3) | (d)) - ((((vl) - 1) & 32) << 7)
#define SVON_FPCTL(rc, sae, z) .insn i 0x0b, 5, x0, x0, ((rc) << 2) | ((sae) << 1) | (z)
#define BP_F(label) .insn b 0x7b, 0, x0, x0, label
#define BP_T(label) .insn b 0x7b, 1, x0, x0, label
#define XSUBMIT_RT(rd, rs1) .insn i 0x7b, 2, rd, rs1, 2
#define XFENCE_WAIT(rs1) .insn i 0x7b, 3, x0, rs1, 0
#define XFENCE_SIGNAL(rs1) .insn i 0x7b, 3, x0, rs1, 1
#define XFENCE_WAIT_E(rs1) .insn i 0x7b, 3, x0, rs1, 2
#define XFENCE_PIPE_RT .insn i 0x7b, 3, x0, x0, 0x12
#define XLDS_ALLOC(rd, rs1) .insn i 0x7b, 4, rd, rs1, 0
#define XLDS_FREE(rs1) .insn i 0x7b, 4, x0, rs1, 1
#define XLDS_BAR .insn i 0x7b, 4, x0, x0, 2
#define MTX_LD(rs1, fields) .insn i 0x5b, 0, x0, rs1, (fields)
#define MTX_MUL(rd, rs1, fields) .insn i 0x5b, 1, rd, rs1, (fields)
#define MTX_MAD(rd, rs1, fields) .insn i 0x5b, 4, rd, rs1, (fields)
#endif

/* Fields of MTX instructions, joined by |: the shape first. */
#define MTX_SHAPE(rows, columns) ((((rows) - 1) << 2) | ((columns) - 1))
#define MTX_TRANSPOSE (1 << 4)
#define MTX_LD_ROWMAJOR (1 << 5)
#define MTX_LD_WITH_BIAS (1 << 6)
#define MTX_SAT_HINT (1 << 5)            /* mul and mad */
#define MTX_COUNT(n) (((n) - 1) << 6)    /* mul and mad: 1 to 8 vectors */
#define MTX_STRIDE(code) ((code) << 9)   /* 0 to 3 */

/* ---- CSR numbers ---------------------------------------------------------------------------- */

#define CSR_PREC_MODE 0x7d0
#define CSR_PREC_ALT 0x7d1
#define CSR_PREC_STAT 0x7d2
#define CSR_PREC_EXC_EN 0x7d3
#define CSR_PREC_EXC_ST 0x7d4
#define CSR_XMEM_CAP 0x7e0
#define CSR_XMEM_PARAMS 0x7e1
#define CSR_XMEM_L1CFG 0x7e2
#define CSR_XMEM_CLSMAP 0x7e3
#define CSR_XMEM_LDS_BUDGET 0x7e4
#define CSR_XMEM_L2CFG 0x7e5
#define CSR_XMEM_DOM 0x7e6
#define CSR_XMEM_STREAM_CTL 0x7e7
#define CSR_XMEM_SPROF0 0x7e8
#define CSR_XMEM_SPROF1 0x7e9
#define CSR_XMEM_SPROF2 0x7ea
#define CSR_XMEM_SPROF3 0x7eb
#define CSR_XMEM_COMP_CTL 0x7ec
#define CSR_XMEM_DESCPOL 0x7ed
#define CSR_XMEM_EVENTS 0x7ee
#define CSR_SVMBASE 0x7f0
#define CSR_SVMIDX 0x7f1
#define CSR_SVMSCL 0x7f2
#define CSR_SVMLEN 0x7f3
#define CSR_SVMMODE 0x7f4
#define CSR_SVSTATE 0x7f8
#define CSR_SVSRCA 0x7f9
#define CSR_SVSRCB 0x7fa
#define CSR_SVDST 0x7fb
#define CSR_SVPMASK0 0x7fc
#define CSR_SVPMASK1 0x7fd
#define CSR_SVSAT 0x7fe
#define CSR_SVFAULTI 0x7ff
#define CSR_RTCFG 0x8a0
#define CSR_RTSTAT 0x8a1
#define CSR_RTCAP 0x8a2
#define CSR_RTBASE 0x8a3
#define CSR_RTQ_RAY 0x8a4
#define CSR_RTQ_HIT 0x8a5
#define CSR_RTQ_MISS 0x8a6
#define CSR_RTCONF2 0x8a7
#define CSR_RTCLSDEF 0x8a8
#define CSR_RTSPROF 0x8a9
#define CSR_RTPRED 0x8aa
#define CSR_MTXCFG 0x8d8
#define CSR_MTXSEL 0x8d9
#define CSR_MTX2 0x8da
#define CSR_MTX3 0x8db
#define CSR_MTX4 0x8dc
#define CSR_MTXBIAS 0x8dd
#define CSR_MTXSTAT 0x8de
#define CSR_MTXCAP 0x8df

/* ---- Fields --------------------------------------------------------------------------------- */

#define PREC_APPLY (1u << 31)
#define PREC_SAT (1u << 30)
#define PREC_RMODE_SHIFT 27 /* 0 RNE, 1 RTZ, 2 RUP, 3 RDN, 4 RMM: not the order of frm */
#define PREC_DENORM_FTZ (1u << 26)
#define PREC_Q (1u << 25)
#define PREC_UNS (1u << 24)
#define PREC_ACCW_SHIFT 22
#define PREC_PET_SHIFT 19
#define PREC_EW_SHIFT 17
#define PREC_ZMODE (1u << 11)
#define PREC_SAE_DEF (1u << 10)
#define PREC_NAN_POL_SHIFT 8

#define PREC_PET_INT8 0
#define PREC_PET_INT16 1
#define PREC_PET_BF16 2
#define PREC_PET_FP16 3
#define PREC_PET_FP32 4

/* MODE words that apply: nearest, accumulate in FP32. */
#define PREC_FP32 (PREC_APPLY | 2u << PREC_ACCW_SHIFT | 4u << PREC_PET_SHIFT | 2u << PREC_EW_SHIFT)
#define PREC_FP16 (PREC_APPLY | 2u << PREC_ACCW_SHIFT | 3u << PREC_PET_SHIFT | 1u << PREC_EW_SHIFT)
#define PREC_BF16 (PREC_APPLY | 2u << PREC_ACCW_SHIFT | 2u << PREC_PET_SHIFT | 1u << PREC_EW_SHIFT)

#define STAT_EFF_PET_SHIFT 28
#define STAT_EFF_EW_SHIFT 26

#define SVSRC_BROADCAST 0x800 /* step valid, step 0 */

/* RTCAP: what there is. */
#define RTCAP_NODE4 (1u << 0)
#define RTCAP_NODE8 (1u << 1)
#define RTCAP_WATERTIGHT (1u << 2)
#define RTCAP_PACK_HINT (1u << 3)
#define RTCAP_EPS_CTL (1u << 4)
#define RTCAP_DESCQ (1u << 5)

/* XMEM.CAP, as far as programs ask. */
#define XMEM_CAP_LDS (1u << 0)
#define XMEM_CAP_STREAM_PROF (1u << 10)

/* The other registers of XMEM: values to be joined by |. */
#define L1CFG_WAYS(ways) ((ways) & 0xff)
#define L1CFG_LINE(log2_bytes) (((log2_bytes) & 0xff) << 8)
#define L1CFG_REPL(policy) (((policy) & 0xf) << 16)
#define L1CFG_ACTIVE_CLASS(classes) (((classes) & 0xffu) << 24)
#define CLSMAP_WAYS(class, mask) ((uint64_t)((mask) & 0xff) << 8 * (class))
#define CLSMAP_QOS(class, qos) ((uint64_t)((qos) & 0xf) << (32 + 4 * (class)))
#define LDS_BUDGET(class, kib) ((uint64_t)((kib) & 0xffff) << 16 * (class))
#define L2CFG_VICT(policy) ((policy) & 0xf)
#define L2CFG_QOS(qos) (((qos) & 0xf) << 4)
#define L2CFG_SNC (1u << 8)
#define DOM_CPU 1
#define DOM_RT 2
#define DOM_MTX 3
#define DOM_ALL 15
#define STREAM_STRIDE(bytes) ((bytes) & 0xffff) /* STREAM_CTL and SPROF0 to 3 */
#define STREAM_DEPTH(lines) (((lines) & 0xff) << 16)
#define STREAM_CTL_NONTEMPORAL (1u << 24)
#define SPROF_POLICY(policy) (((policy) & 0xf) << 24)
#define RTSPROF_PROFILE(profile) ((profile) & 3)

/* RTCLSDEF and XMEM.DESCPOL have one layout; STRICT_DOM is DESCPOL's alone. */
#define CLASS_DEFAULT(class) ((class) & 3)
#define CLASS_HYB_ENABLE (1u << 2)
#define CLASS_HYB_BORROW_QOS(qos) (((qos) & 7) << 3)
#define DESCPOL_STRICT_DOM (1u << 6)

/* XMEM.EVENTS: writing ones clears. */
#define EVENT_INV_MISS (1u << 0)
#define EVENT_LOCK_OVF (1u << 1)
#define EVENT_LDS_OOM (1u << 2)
#define EVENT_DMA_ERR (1u << 3)
#define EVENT_COMP_ERR (1u << 4)
#define EVENT_BUDGET_OVF (1u << 5)
#define EVENT_SEC_VIOL (1u << 6)
#define EVENT_HYB_FALLBK (1u << 7)

#define MTXCAP_4X4 (1u << 6) /* one bit for each shape, 2x2 first */
#define MTXCFG_TRANSPOSE_DEF (1u << 0)
#define MTXCFG_BIAS_EN (1u << 1)
#define MTXCFG_SAT_EN (1u << 2)

#define JOB_CULL_BACK (1u << 0)
#define JOB_EPS_CTL (1u << 3)
#define JOB_ANY_HIT (1u << 8)
#define JOB_NODE8 (1u << 9)

/* ---- Structures ----------------------------------------------------------------------------- */

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

#define XPHMG_AT(type, member, place) \
  _Static_assert(offsetof(type, member) == (place), #type "." #member)

struct rt_ray32 { /* an FP32 ray record */
  float origin[3], direction[3], tmin, tmax;
};
XPHMG_AT(struct rt_ray32, direction, 12);
XPHMG_AT(struct rt_ray32, tmin, 24);
_Static_assert(sizeof(struct rt_ray32) == 32, "rt_ray32");

struct rt_range {
  uint32_t first, count;
  uint64_t base;
};
XPHMG_AT(struct rt_range, count, 4);
XPHMG_AT(struct rt_range, base, 8);
_Static_assert(sizeof(struct rt_range) == 16, "rt_range");

struct rt_queue {
  uint32_t head, tail, cap, rsv;
  uint64_t base;
};
XPHMG_AT(struct rt_queue, tail, 4);
XPHMG_AT(struct rt_queue, cap, 8);
XPHMG_AT(struct rt_queue, base, 16);
_Static_assert(sizeof(struct rt_queue) == 24, "rt_queue");

struct rt_hit {
  uint32_t ray_id, prim, leaf_idx, flags, t, u, v;
  uint32_t instance; /* for programs; jobs write 0 */
};
XPHMG_AT(struct rt_hit, leaf_idx, 8);
XPHMG_AT(struct rt_hit, t, 16);
_Static_assert(sizeof(struct rt_hit) == 32, "rt_hit");

struct rt_miss {
  uint32_t ray_id, zero;
};
_Static_assert(sizeof(struct rt_miss) == 8, "rt_miss");

struct xmem_memctl {
  uint8_t dom, l1_hint, l2_hint, lds_hint;
  uint16_t line_sz, qos;
  uint64_t lds_softpin;
  uint8_t mclass, sprof_id, hyb, sec;
  uint32_t rsv0;
};
XPHMG_AT(struct xmem_memctl, lds_softpin, 8);
XPHMG_AT(struct xmem_memctl, mclass, 16);
_Static_assert(sizeof(struct xmem_memctl) == 24, "xmem_memctl");

struct rt_descriptor {
  uint64_t bvh_base, rayq_desc, hitq_desc, missq_desc, tri_buf;
  uint32_t opts, rsv;
  struct xmem_memctl memctl;
};
XPHMG_AT(struct rt_descriptor, tri_buf, 32);
XPHMG_AT(struct rt_descriptor, opts, 40);
XPHMG_AT(struct rt_descriptor, memctl, 48);
_Static_assert(sizeof(struct rt_descriptor) == 72, "rt_descriptor");

/* ---- C functions ---------------------------------------------------------------------------- */

#define XPHMG_TEXT_(x) #x
#define XPHMG_TEXT(x) XPHMG_TEXT_(x)

#define csr_read(number)                                                              \
  ({                                                                                  \
    uint64_t value_;                                                                  \
    __asm__ volatile("csrr %0, " XPHMG_TEXT(number) : "=r"(value_) : : "memory");     \
    value_;                                                                           \
  })
#define csr_write(number, value) \
  __asm__ volatile("csrw " XPHMG_TEXT(number) ", %0" : : "r"((uint64_t)(value)) : "memory")

/* Puts a format in force; MODE and ALT get their APPLY bit. */
static inline void prec_apply(uint32_t mode, uint32_t alt) {
  csr_write(CSR_PREC_MODE, mode | PREC_APPLY);
  csr_write(CSR_PREC_ALT, alt | PREC_APPLY);
}

/* The operand of scalar RT instructions: base + index * 2^shift. */
static inline void svm_operand(uint64_t base, unsigned shift) {
  csr_write(CSR_SVMBASE, base);
  csr_write(CSR_SVMSCL, shift);
}

struct rt_bbox_result {
  uint64_t hit, tnear, tfar;
};

/* RT.BBOX, unpacked: element bits, sign-extended. The index goes through a4 (SVMIDX = 14). */
static inline struct rt_bbox_result rt_bbox(const void *ray, uint64_t index) {
  register uint64_t hit __asm__("a0");
  register uint64_t tnear __asm__("a1");
  register uint64_t tfar __asm__("a2");
  register uint64_t at __asm__("a4") = index;
  csr_write(CSR_SVMIDX, 14);
  __asm__ volatile(".insn i 0x0b, 6, a0, %3, 0"
                   : "=r"(hit), "=r"(tnear), "=r"(tfar)
                   : "r"(ray), "r"(at)
                   : "memory");
  return (struct rt_bbox_result){hit, tnear, tfar};
}

struct rt_tri_result {
  int64_t hit, t, u, v;
};

/* RT.TRI, unpacked, both faces. */
static inline struct rt_tri_result rt_tri(const void *ray, uint64_t index) {
  register int64_t hit __asm__("a0");
  register int64_t t __asm__("a1");
  register int64_t u __asm__("a2");
  register int64_t v __asm__("a3");
  register uint64_t at __asm__("a4") = index;
  csr_write(CSR_SVMIDX, 14);
  __asm__ volatile(".insn i 0x0b, 7, a0, %4, 0"
                   : "=r"(hit), "=r"(t), "=r"(u), "=r"(v)
                   : "r"(ray), "r"(at)
                   : "memory");
  return (struct rt_tri_result){hit, t, u, v};
}

/* RT.TRI for the predicate alone, front faces only: 1 if one was hit. */
static inline int rt_tri_front(const void *ray, uint64_t index) {
  register uint64_t at __asm__("a4") = index;
  uint64_t hit;
  csr_write(CSR_SVMIDX, 14);
  __asm__ volatile(".insn i 0x0b, 7, x0, %1, 3\n\tcsrr %0, 0x8aa"
                   : "=&r"(hit)
                   : "r"(ray), "r"(at)
                   : "memory");
  return hit & 1;
}

/* When a ray is in a box: element bits, sign-extended. */
struct rt_interval {
  int64_t tnear, tfar;
};

/* Lanes that one vectorised instruction can have, up to `wanted` (a constant). */
#define rt_lanes(wanted)                                                                  \
  ({                                                                                      \
    uint64_t lanes_;                                                                      \
    __asm__ volatile(".insn i 0x0b, 0, %0, x0, %1" : "=r"(lanes_) : "i"(wanted));         \
    lanes_;                                                                               \
  })

/* Four boxes against one ray: lane i tests the box at index + 3 i if bit i of `lanes` is set; the
 * bits of those that were hit, and their intervals. One vectorised RT.BBOX: svp.one.vlstep 4, 0, 3
 * broadcasts the ray and gives each lane four registers from a0 on, of which it writes three. */
static inline unsigned rt_bbox4(const void *ray, uint64_t index, unsigned lanes,
                                struct rt_interval out[4]) {
  register int64_t near0 __asm__("a1");
  register int64_t far0 __asm__("a2");
  register uint64_t i0 __asm__("a4") = index;
  register uint64_t i1 __asm__("a5") = index + 3;
  register uint64_t i2 __asm__("a6") = index + 6;
  register uint64_t i3 __asm__("a7") = index + 9;
  register int64_t near2 __asm__("s3");
  register int64_t far2 __asm__("s4");
  register int64_t near3 __asm__("s7");
  register int64_t far3 __asm__("s8");
  uint64_t hits = lanes;
  csr_write(CSR_SVMIDX, 14);
  __asm__ volatile(
      "csrw 0x7fc, %0\n\t"
      ".insn i 0x0b, 4, x0, x0, 0xc3\n\t" /* svp.one.vlstep 4, 0, 3 */
      ".insn i 0x0b, 6, a0, %10, 0\n\t"   /* rt.bbox a0, (ray) */
      "csrr %0, 0x7fc"
      : "+&r"(hits), "=&r"(near0), "=&r"(far0), "+&r"(i0), "+&r"(i1), "+&r"(i2), "=&r"(near2),
        "=&r"(far2), "=&r"(near3), "=&r"(far3)
      : "r"(ray), "r"(i3)
      : "a0", "s2", "s6", "memory");
  out[0] = (struct rt_interval){near0, far0};
  out[1] = (struct rt_interval){(int64_t)i1, (int64_t)i2};
  out[2] = (struct rt_interval){near2, far2};
  out[3] = (struct rt_interval){near3, far3};
  return hits & lanes;
}

/* What RT.BBOX packs into one register, in elements of 8 or 16 bits. */
static inline struct rt_interval rt_unpack(uint64_t packed, unsigned bits) {
  return (struct rt_interval){(int64_t)(packed << (64 - bits)) >> (64 - bits),
                              (int64_t)(packed << (64 - 2 * bits)) >> (64 - bits)};
}

/* The same in elements of 8 or 16 bits, with results packed into one register each. */
static inline unsigned rt_bbox4_packed(const void *ray, uint64_t index, unsigned lanes,
                                       unsigned bits, struct rt_interval out[4]) {
  register uint64_t p0 __asm__("a0");
  register uint64_t p1 __asm__("a1");
  register uint64_t p2 __asm__("a2");
  register uint64_t p3 __asm__("a3");
  register uint64_t i0 __asm__("a4") = index;
  register uint64_t i1 __asm__("a5") = index + 3;
  register uint64_t i2 __asm__("a6") = index + 6;
  register uint64_t i3 __asm__("a7") = index + 9;
  uint64_t hits = lanes;
  csr_write(CSR_SVMIDX, 14);
  __asm__ volatile(
      "csrw 0x7fc, %0\n\t"
      ".insn i 0x0b, 4, x0, x0, 0xc1\n\t" /* svp.one.vlstep 4, 0, 1 */
      ".insn i 0x0b, 6, a0, %5, 4\n\t"    /* rt.bbox a0, (ray), pack_hint */
      "csrr %0, 0x7fc"
      : "+&r"(hits), "=&r"(p0), "=&r"(p1), "=&r"(p2), "=&r"(p3)
      : "r"(ray), "r"(i0), "r"(i1), "r"(i2), "r"(i3)
      : "memory");
  uint64_t packed[4] = {p0, p1, p2, p3};
  for (int lane = 0; lane < 4; lane++)
    out[lane] = rt_unpack(packed[lane], bits);
  return hits & lanes;
}

/* Eight boxes: the four of one tile, and the four of the tile `step` indices behind it. */
static inline unsigned rt_bbox8_packed(const void *ray, uint64_t index, uint64_t step,
                                       unsigned lanes, unsigned bits, struct rt_interval out[8]) {
  register uint64_t p0 __asm__("a0");
  register uint64_t p1 __asm__("a1");
  register uint64_t p2 __asm__("a2");
  register uint64_t p3 __asm__("a3");
  register uint64_t i0 __asm__("a4") = index;
  register uint64_t i1 __asm__("a5") = index + 3;
  register uint64_t i2 __asm__("a6") = index + 6;
  register uint64_t i3 __asm__("a7") = index + 9;
  register uint64_t i4 __asm__("s2") = index + step;
  register uint64_t i5 __asm__("s3") = index + step + 3;
  register uint64_t i6 __asm__("s4") = index + step + 6;
  register uint64_t i7 __asm__("s5") = index + step + 9;
  uint64_t hits = lanes;
  csr_write(CSR_SVMIDX, 14);
  __asm__ volatile(
      "csrw 0x7fc, %0\n\t"
      ".insn i 0x0b, 4, x0, x0, 0x1c1\n\t" /* svp.one.vlstep 8, 0, 1 */
      ".insn i 0x0b, 6, a0, %9, 4\n\t"     /* rt.bbox a0, (ray), pack_hint */
      "csrr %0, 0x7fc"
      : "+&r"(hits), "=&r"(p0), "=&r"(p1), "=&r"(p2), "=&r"(p3), "+&r"(i0), "+&r"(i1), "+&r"(i2),
        "+&r"(i3)
      : "r"(ray), "r"(i4), "r"(i5), "r"(i6), "r"(i7)
      : "memory");
  uint64_t packed[8] = {p0, p1, p2, p3, i0, i1, i2, i3};
  for (int lane = 0; lane < 8; lane++)
    out[lane] = rt_unpack(packed[lane], bits);
  return hits & lanes;
}

/* Local memory: an address that is a multiple of 64, or 0 if there is no room. */
static inline void *xlds_alloc(uint64_t bytes) {
  void *address;
  __asm__ volatile(".insn i 0x7b, 4, %0, %1, 0" : "=r"(address) : "r"(bytes) : "memory");
  return address;
}

static inline void xlds_free(void *address) {
  __asm__ volatile(".insn i 0x7b, 4, x0, %0, 1" : : "r"(address) : "memory");
}

/* Submits a job; 0 means that it was refused. */
static inline uint64_t xsubmit_rt(const struct rt_descriptor *job) {
  uint64_t ticket;
  __asm__ volatile(".insn i 0x7b, 2, %0, %1, 2" : "=r"(ticket) : "r"(job) : "memory");
  return ticket;
}

/* Waits until a job and all before it are done. */
static inline void xfence_wait(uint64_t ticket) {
  __asm__ volatile(".insn i 0x7b, 3, x0, %0, 0" : : "r"(ticket) : "memory");
}

/* Loads a matrix into the bank that MTXSEL selects; `fields` is constant. */
#define mtx_ld(elements, fields)                                  \
  __asm__ volatile(".insn i 0x5b, 0, x0, %0, %1"                  \
                   :                                              \
                   : "r"(elements), "i"(fields)                   \
                   : "memory")

/* Multiplies the vectors at `from` into `to`; mad adds the bias. `fields` is constant. */
#define mtx_mul(to, from, fields) MTX_PRODUCT("1", to, from, fields)
#define mtx_mad(to, from, fields) MTX_PRODUCT("4", to, from, fields)
#define MTX_PRODUCT(funct3, to, from, fields)                     \
  __asm__ volatile(".insn i 0x5b, " funct3 ", %0, %1, %2"         \
                   :                                              \
                   : "r"(to), "r"(from), "i"(fields)              \
                   : "memory")

#endif /* !__ASSEMBLER__ */
#endif
