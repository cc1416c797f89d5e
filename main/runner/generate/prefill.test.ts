import { describe, expect, it } from "vitest";
import { PrefillSlices, sliceSizes } from "./prefill.ts";

/** A machine that evaluates one slice of each of some jobs in a batch. */
class Machine {
  now = 0;
  readonly slices = new PrefillSlices(256, 32, () => this.now);

  /** @param sizes the tokens of each slice; by default one full slice. */
  async batch(elapsedMs: number, sizes: readonly number[] = [this.slices.size]): Promise<void> {
    const ends = sizes.map((tokens) => {
      const { promise, resolve } = Promise.withResolvers<null>();
      return { measured: this.slices.measure(tokens, () => promise), resolve };
    });
    this.now += elapsedMs;
    for (const { resolve } of ends) resolve(null);
    await Promise.all(ends.map(({ measured }) => measured));
  }

  /** A batch with a full slice of each job, at a speed in tokens per millisecond. */
  async fullBatch(jobs: number, speed: number): Promise<number> {
    const { size } = this.slices;
    await this.batch(
      (jobs * size) / speed,
      Array.from({ length: jobs }, () => size),
    );
    return this.slices.size;
  }
}

async function sizesOf(batches: number, jobs: number, speed: number, machine = new Machine()) {
  const sizes: number[] = [];
  for (let i = 0; i < batches; i++) sizes.push(await machine.fullBatch(jobs, speed));
  return sizes;
}

describe("PrefillSlices", () => {
  it("grows on a fast machine and shrinks on a slow one, from 64 to 256", async () => {
    const machine = new Machine();
    expect((await sizesOf(10, 1, 100, machine)).at(-1)).toBe(256);
    expect((await sizesOf(10, 1, 0.01, machine)).at(-1)).toBe(64);
  });

  it("shrinks to 32 tokens where more than two jobs share a batch", async () => {
    expect((await sizesOf(10, 2, 0.01)).at(-1)).toBe(64);
    expect((await sizesOf(10, 3, 0.01)).at(-1)).toBe(32);
  });

  it("begins with the given size", () => {
    expect(new PrefillSlices(512, 64).size).toBe(64);
  });

  it("settles within a step of a size that takes 350 ms", async () => {
    expect(await sizesOf(6, 1, 0.5)).toEqual([64, 128, 160, 160, 160, 160]);
  });

  it("settles at the same time for the slices of all jobs in a batch", async () => {
    expect(await sizesOf(6, 4, 2)).toEqual([64, 128, 160, 160, 160, 160]);
  });

  it("changes by half at most after a single odd batch, whatever the number of its slices", async () => {
    const machine = new Machine();
    await sizesOf(10, 4, 100, machine);
    await machine.batch(60_000, [256, 256, 256, 256]);
    expect(machine.slices.size).toBe(128);
  });

  it("does not take the short last slice of one prompt for a slow machine", async () => {
    const machine = new Machine();
    await sizesOf(6, 4, 2, machine);
    await machine.batch(250, [160, 160, 160, 20]);
    expect(machine.slices.size).toBeGreaterThanOrEqual(160);
  });

  it("counts a batch in which a slice failed", async () => {
    const machine = new Machine();
    const failed = machine.slices.measure(32, () => Promise.reject(new Error("no memory")));
    await expect(failed).rejects.toThrow("no memory");
    expect(await machine.fullBatch(1, 100)).toBeGreaterThanOrEqual(64);
  });
});

describe("the next slice of a prompt", () => {
  const slices = new PrefillSlices(256, 96);
  it.each([
    [96, 96],
    // One slice that is a little larger.
    [134, 134],
    [135, 68],
    [200, 67],
    [1_000, 91],
  ])("with %i tokens left has %i", (left, tokens) => {
    expect(slices.next(left)).toBe(tokens);
  });

  it("is never larger than llama.cpp's batch", () => {
    const large = new PrefillSlices(256, 256);
    expect([large.next(256), large.next(300)]).toEqual([256, 150]);
  });
});

it("lists the sizes of slices up to the largest", () => {
  expect(sliceSizes(512)).toEqual([32, 64, 128, 256, 512]);
  expect(sliceSizes(100)).toEqual([32, 64]);
});
