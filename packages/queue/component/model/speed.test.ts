import { describe, expect, it } from "vitest";
import { checkedCapabilities } from "./capabilities.ts";
import { expectedMs, patienceMs, referenceRate } from "./speed.ts";

const worker = {
  kinds: ["chat", "hash"],
  speeds: [
    { of: "small", inputPerSecond: 100, outputPerSecond: 10 },
    { of: "hash", inputPerSecond: 1, outputPerSecond: 0 },
  ],
};
const chat = { kind: "chat", requirements: { model: "small" }, size: { input: 200, output: 50 } };

describe("expectedMs", () => {
  it("adds the time to read and the time to write", () => {
    expect(expectedMs(worker, chat)).toBe(7_000);
  });

  it("uses the speed of the kind for a job without a model", () => {
    expect(expectedMs(worker, { kind: "hash", size: { input: 3, output: 0 } })).toBe(3_000);
  });

  it("is unknown without a size, and without a speed for the model", () => {
    expect(expectedMs(worker, { ...chat, size: undefined })).toBeNull();
    expect(expectedMs(worker, { ...chat, requirements: { model: "large" } })).toBeNull();
    expect(expectedMs(undefined, chat)).toBeNull();
  });

  it("is endless at a speed of 0", () => {
    expect(expectedMs(worker, { kind: "hash", size: { input: 1, output: 1 } })).toBe(Infinity);
  });
});

describe("the speeds that a worker reports", () => {
  it("are kept in one order", () => {
    expect(checkedCapabilities(worker).speeds?.map(({ of }) => of)).toEqual(["hash", "small"]);
  });

  it.each([
    ["a negative speed", [{ of: "small", inputPerSecond: -1, outputPerSecond: 1 }]],
    ["a speed that is no number", [{ of: "small", inputPerSecond: 1, outputPerSecond: NaN }]],
    ["a model that is named twice", [worker.speeds[0], worker.speeds[0]]],
    ["a negative time before a job", [{ ...worker.speeds[0], setupMs: -1 }]],
    ["a model without a name", [{ of: "", inputPerSecond: 1, outputPerSecond: 1 }]],
  ])("are refused with %s", (_, speeds) => {
    expect(() => checkedCapabilities({ kinds: [], speeds: speeds as typeof worker.speeds })).toThrow();
  });
});

describe("referenceRate", () => {
  const rates = (...speeds: readonly number[]) =>
    speeds.map((outputPerSecond) => ({ inputPerSecond: 10, outputPerSecond }));

  it.each([
    ["one worker is its own reference", [7], 7],
    ["half of the speed of a mixed fleet comes from its fastest workers", [3, 6, 12, 24, 48], 48],
    ["one fast worker among many slow ones is not the reference", [120, ...Array<number>(59).fill(3)], 3],
  ])("%s", (_, speeds, expected) => {
    expect(referenceRate(rates(...speeds))?.outputPerSecond).toBe(expected);
  });

  it("compares by reading where nothing is written", () => {
    const found = referenceRate([
      { inputPerSecond: 20, outputPerSecond: 0 },
      { inputPerSecond: 50, outputPerSecond: 0 },
    ]);
    expect(found?.inputPerSecond).toBe(50);
  });

  it("is at most four times the median, whatever a worker claims", () => {
    expect(referenceRate(rates(1e9, 20))?.outputPerSecond).toBeCloseTo(80);
    expect(referenceRate(rates(1e9, 20, 20, 20, 20, 20))?.outputPerSecond).toBe(20);
  });

  it("is defined for workers that do not move", () => {
    expect(referenceRate([{ inputPerSecond: 0, outputPerSecond: 0 }])).toEqual({
      inputPerSecond: 0,
      outputPerSecond: 0,
    });
  });

  it("is unknown for an empty fleet", () => {
    expect(referenceRate([])).toBeNull();
  });
});

describe("patienceMs", () => {
  const slow = { inputPerSecond: 10, outputPerSecond: 1 };
  const fast = { inputPerSecond: 100, outputPerSecond: 10 };
  const size = { input: 0, output: 10 };

  it.each([
    ["a quarter of the time that the job takes longer", size, slow, fast, 2_250],
    ["nothing for a faster worker", size, fast, slow, 0],
    ["nothing for a job without a size", undefined, slow, fast, 0],
    ["nothing for a worker without a speed", size, undefined, fast, 0],
    ["nothing in a lane without a speed", size, slow, undefined, 0],
    ["a minute at most", { input: 0, output: 1e9 }, slow, fast, 60_000],
    ["a minute at most for a worker that does not move", size, { ...slow, outputPerSecond: 0 }, fast, 60_000],
  ])("is %s", (_, asked, own, reference, expected) => {
    expect(patienceMs(asked, own, reference)).toBe(expected);
  });
});
