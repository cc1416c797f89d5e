import { describe, expect, it } from "vitest";
import { type CpuTimes, parseCpuTimes, readCpuTimes, silenceBetween } from "./silence.ts";

const limits = { tickMs: 5_000, silenceMs: 50_000, blindSilenceMs: 500_000 };
const before = { usedMs: 1_000, idleMs: 70_000 };
const after = (usedMs: number, idleMs: number): CpuTimes => ({
  usedMs: before.usedMs + usedMs,
  idleMs: before.idleMs + idleMs,
});

describe("a tick of a silent process", () => {
  it.each<[string, CpuTimes | null, CpuTimes | null, number]>([
    ["that is starved of the processor", before, after(0, 0), 0],
    ["that got nearly no processor", before, after(50, 0), 0.001],
    ["that got half of a core, with none left idle", before, after(2_500, 0), 0.05],
    ["in an endless loop", before, after(5_000, 0), 0.1],
    ["that ran on many cores", before, after(80_000, 0), 0.1],
    ["in a deadlock, which leaves processors idle", before, after(0, 10_000), 0.1],
    ["that used a little, with a little left idle", before, after(100, 400), 0.01],
    ["whose computer slept meanwhile", before, after(0, 9e9), 0.1],
    ["whose counters went back", before, after(-500, -500), 0],
    ["at its first tick, without times to compare", null, before, 0],
    ["on a system that does not tell", null, null, 0.01],
    ["whose times are no longer told", before, null, 0.01],
  ])("counts the silence of a process %s", (_process, earlier, now, share) => {
    expect(silenceBetween(earlier, now, limits)).toBeCloseTo(share, 9);
  });
});

describe("the CPU times", () => {
  const system = "cpu  3169082 301751 355395 425 18974 0 8406 7098 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n";

  it("reads CPU times whatever the program's name", () => {
    const stat = "7 (a) b (c d) S 1 7 7 0 -1 0 1 0 0 0 120 34 5 6 39 19 1 0 9";
    expect(parseCpuTimes(stat, system)).toEqual({ usedMs: 1_540, idleMs: 4_250 });
  });

  it.each([
    ["7 (a) S 1", system],
    ["7 (a) S 1 7 7 0 -1 0 1 0 0 0 1 1 0", ""],
    ["7 (a) S 1 7 7 0 -1 0 1 0 0 0 1 1 0", "cpu  0 0 0 0 0 0 0 0 0 0\n"],
  ])("returns null for CPU times that cannot be parsed: %j", (own, all) => {
    expect(parseCpuTimes(own, all)).toBeNull();
  });

  it.runIf(process.platform === "linux")("reads growing CPU times of a process that works", () => {
    const usedMs = (): number => readCpuTimes(process.pid)?.usedMs ?? Number.NaN;
    const from = usedMs();
    while (usedMs() === from);
    expect(usedMs()).toBeGreaterThan(from);
    expect(readCpuTimes(-1)).toBeNull();
  });
});
