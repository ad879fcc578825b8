// A program to begin with: one ray and one triangle, as the extension sees them.

export const exampleName = "rt-tri.s";

export const exampleText = `# A ray and a triangle in memory, and the instruction that tests them.
        auipc s0, 0x1           # the ray: origin, direction, tmin, tmax
        lui   t0, 0x3f000       # 0.5
        sw    t0, 0(s0)
        lui   t0, 0x3e800       # 0.25
        sw    t0, 4(s0)
        lui   t0, 0xc0400       # -3
        sw    t0, 8(s0)
        lui   t1, 0x40000       # 2
        sw    t1, 20(s0)
        lui   t0, 0x42c80       # 100
        sw    t0, 28(s0)
        addi  s1, s0, 64        # the triangle: (0,0,2) (2,0,2) (0,1,2)
        sw    t1, 8(s1)
        sw    t1, 12(s1)
        sw    t1, 20(s1)
        lui   t0, 0x3f800       # 1
        sw    t0, 28(s1)
        sw    t1, 32(s1)
        lui   t0, 0x80a40       # elements are FP32 from here on
        csrrw zero, 0x7d0, t0   # prec.mode
        csrrw zero, 0x7f0, s1   # svm.base: where the operand is
        csrrwi zero, 0x7f1, 0   # svm.idx
        csrrwi zero, 0x7f2, 2   # svm.scl
        rt.tri a4, (s0)         # hit, t, u and v into a4 to a7
        rt.tri a4, (s0), cull_back
end:    jal   zero, end
`;
