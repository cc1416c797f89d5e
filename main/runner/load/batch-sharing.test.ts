import { describe, expect, it } from "vitest";
import { BatchSharing } from "./batch-sharing.ts";

/** Runs batches on a machine where one of some tokens takes this many ms. Returns how many batches were shared. */
function sharedOf(
  sharing: BatchSharing,
  batches: number,
  jobs: number,
  msOf: (tokens: number) => number,
): number {
  let shared = 0;
  for (let index = 0; index < batches; index += 1) {
    const tokens = sharing.jobsInBatch(jobs);
    if (tokens > 1) shared += 1;
    sharing.measured(jobs, tokens, msOf(tokens));
  }
  return shared;
}

const readsWeights = (): number => 50;
const onFewCores = (tokens: number): number => (tokens === 1 ? 5 : 7 * tokens);

describe("BatchSharing", () => {
  it("shares batches where a token more costs nothing, but for a few trials", () => {
    const sharing = new BatchSharing();
    expect(sharing.jobsInBatch(4)).toBe(4);
    expect(sharedOf(sharing, 10_000, 4, readsWeights)).toBeGreaterThan(9_900);
  });

  it("lets jobs take turns where shared batches are slower", () => {
    const sharing = new BatchSharing();
    sharedOf(sharing, 40, 4, onFewCores);
    expect(sharing.jobsInBatch(4)).toBe(1);
    expect(sharedOf(sharing, 10_000, 4, onFewCores)).toBeLessThan(100);
  });

  it("stays with what it does for a difference within the noise", () => {
    const sharing = new BatchSharing();
    const equal = (tokens: number): number => (tokens === 1 ? 9.7 : 10 * tokens);
    expect(sharedOf(sharing, 10_000, 2, equal)).toBeGreaterThan(9_900);
  });

  it("finds out when the other way has become better", () => {
    const sharing = new BatchSharing();
    sharedOf(sharing, 500, 2, onFewCores);
    expect(sharing.jobsInBatch(2)).toBe(1);
    sharedOf(sharing, 2_100, 2, readsWeights);
    expect(sharing.jobsInBatch(2)).toBe(2);
  });

  it("changes nothing after a single odd batch", () => {
    const sharing = new BatchSharing();
    let batch = 0;
    const odd = (): number => (++batch % 20 === 0 ? 1_000 : 50);
    sharedOf(sharing, 200, 4, odd);
    expect(sharing.jobsInBatch(4)).toBe(4);
  });

  it("decides for each number of jobs, and never holds up a single one", () => {
    const sharing = new BatchSharing();
    sharedOf(sharing, 40, 2, onFewCores);
    expect([1, 2, 4].map((jobs) => sharing.jobsInBatch(jobs))).toEqual([1, 1, 4]);
  });
});
