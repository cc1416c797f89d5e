import { describe, expect, it, onTestFinished, vi } from "vitest";
import { known, unknown } from "../../../app/facts/facts.ts";
import { FreeVram, type GpuSight, vramStep } from "./free-vram.ts";

describe("vramStep", () => {
  it("counts in steps of 512 MiB, and counts a GPU of 8 GB as one", () => {
    expect(vramStep(7_948, null)).toBe(7_680);
    // What a job with vram=8 requires.
    expect(vramStep(7_948, null)).toBeGreaterThanOrEqual(7_629);
    expect(vramStep(300, null)).toBe(0);
  });

  it("does not change while the memory moves around a step", () => {
    let step = vramStep(7_700, null);
    const told = [step];
    for (const freeMb of [7_670, 7_690, 7_750, 7_660, 7_900, 7_400])
      told.push((step = vramStep(freeMb, step)));
    expect(told).toEqual([7_680, 7_168, 7_168, 7_168, 7_168, 7_168, 7_168]);
    expect(vramStep(7_936, step)).toBe(7_680);
  });
});

const free: GpuSight = { freeMb: known(8_000), isRunning: false, isFree: true };

function watched(sights: readonly GpuSight[] = []) {
  const world = { allowed: true, wanted: true, changes: [] as (number | null)[], looks: 0 };
  const vram: FreeVram = new FreeVram({
    look: () => Promise.resolve(sights[world.looks++] ?? free),
    isAllowed: () => world.allowed,
    isWanted: () => world.wanted,
    onChange: () => world.changes.push(vram.mb),
  });
  onTestFinished(() => vram.stop());
  return { world, vram };
}

describe("free memory of the GPU", () => {
  it("is unknown before the first look, and stays known afterward", async () => {
    const { vram, world } = watched();
    expect(vram.mb).toBeNull();
    await Promise.all([vram.look(), vram.look()]);
    expect([vram.mb, world.looks]).toEqual([7_680, 1]);
    await vram.look();
    expect(world).toMatchObject({ looks: 2, changes: [7_680] });
  });

  it.each([
    ["other programs use the GPU", { ...free, isFree: false }],
    ["the memory is unknown", { ...free, freeMb: unknown }],
  ])("does not count while %s", (_, sight) => {
    const { vram, world } = watched();
    vram.saw(free);
    vram.saw(sight);
    expect(world.changes).toEqual([7_680, null]);
    vram.saw(free);
    expect(vram.mb).toBe(7_680);
  });

  it("keeps its value while our own runner may hold some of it", () => {
    const { vram, world } = watched();
    vram.saw(free);
    vram.saw({ ...free, freeMb: known(500), isRunning: true });
    vram.saw({ ...free, freeMb: unknown, isRunning: true });
    expect(world.changes).toEqual([7_680]);
    vram.saw({ ...free, freeMb: known(500) });
    expect(world.changes).toEqual([7_680, 0]);
  });

  it("is looked at again while others use the GPU, less and less often", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const busy = { ...free, isFree: false };
    const { vram, world } = watched([busy, free]);
    vram.saw(busy);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([world.looks, vram.mb]).toEqual([1, null]);
    await vi.advanceTimersByTimeAsync(119_000);
    expect(world.looks).toBe(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([world.looks, vram.mb]).toEqual([2, 7_680]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is not looked at while no job may use the GPU, or where nothing tells it", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { vram, world } = watched();
    vram.saw({ ...free, freeMb: unknown, isFree: false });
    expect(vi.getTimerCount()).toBe(0);
    vram.saw({ ...free, isFree: false });
    world.wanted = false;
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(world.looks).toBe(0);
  });

  it("does not count where the organization forbids the GPU", () => {
    const { vram, world } = watched();
    vram.saw(free);
    world.allowed = false;
    vram.update();
    world.allowed = true;
    vram.update();
    expect(world.changes).toEqual([7_680, null, 7_680]);
  });
});
