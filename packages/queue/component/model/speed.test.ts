import { describe, expect, it } from "vitest";
import { checkedCapabilities } from "./capabilities.ts";
import { expectedMs } from "./speed.ts";

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
    ["a model without a name", [{ of: "", inputPerSecond: 1, outputPerSecond: 1 }]],
  ])("are refused with %s", (_, speeds) => {
    expect(() => checkedCapabilities({ kinds: [], speeds: speeds as typeof worker.speeds })).toThrow();
  });
});
