import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { limits } from "../../app/jobs/limits.ts";
import type { Acknowledged } from "./backend.ts";
import { ChunkAppender } from "./chunk-appender.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Sent = readonly [seq: number, text: string];

function recorder(answer: () => Promise<Acknowledged> = async () => ({ kind: "ok" })) {
  const sent: Sent[] = [];
  let fenced = 0;
  const appender = new ChunkAppender(
    (seq, text) => {
      sent.push([seq, text]);
      return answer();
    },
    () => fenced++,
  );
  return { sent, appender, fenced: () => fenced };
}

describe("ChunkAppender", () => {
  it("gathers text for 250 ms, and numbers the chunks", async () => {
    const { sent, appender } = recorder();
    appender.push("a");
    appender.push("b");
    expect(sent).toEqual([]);
    await vi.advanceTimersByTimeAsync(250);
    appender.push("c");
    await vi.advanceTimersByTimeAsync(249);
    expect(sent).toEqual([[0, "ab"]]);
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toEqual([
      [0, "ab"],
      [1, "c"],
    ]);
  });

  it("has one call under way at a time", async () => {
    const answers: ((answer: Acknowledged) => void)[] = [];
    const { sent, appender } = recorder(() => new Promise((resolve) => answers.push(resolve)));
    appender.push("a");
    await vi.advanceTimersByTimeAsync(250);
    appender.push("b");
    await vi.advanceTimersByTimeAsync(5_000);
    expect(sent).toHaveLength(1);
    answers[0]?.({ kind: "ok" });
    await vi.advanceTimersByTimeAsync(250);
    expect(sent).toHaveLength(2);
  });

  it("sends the rest at the end at once, and nothing after", async () => {
    const { sent, appender } = recorder();
    appender.push("rest");
    appender.finish();
    expect(sent).toEqual([[0, "rest"]]);
    appender.push("late");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(sent).toHaveLength(1);
  });

  it("says when the attempt is fenced, and survives a failed call", async () => {
    const fencing = recorder(async () => ({ kind: "fenced" }));
    fencing.appender.push("a");
    await vi.advanceTimersByTimeAsync(250);
    expect(fencing.fenced()).toBe(1);

    const failing = recorder(() => Promise.reject(new Error("refused")));
    failing.appender.push("a");
    await vi.advanceTimersByTimeAsync(250);
    failing.appender.push("b");
    await vi.advanceTimersByTimeAsync(250);
    expect(failing.sent).toHaveLength(2);
  });

  it("keeps each chunk within its bound, and characters whole", () => {
    const { sent, appender } = recorder();
    const text = `x${"🐦".repeat(limits.chunkBytes / 4)}`;
    appender.push(text);
    appender.finish();
    expect(sent.length).toBeGreaterThan(1);
    expect(sent.map(([, chunk]) => chunk).join("")).toBe(text);
    for (const [, chunk] of sent) {
      expect(Buffer.byteLength(chunk)).toBeLessThanOrEqual(limits.chunkBytes);
      expect(Buffer.from(chunk).toString()).toBe(chunk);
    }
  });
});
