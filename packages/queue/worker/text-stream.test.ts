import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Acknowledged } from "./protocol.ts";
import { TextStream } from "./text-stream.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const chunkBytes = 64 * 1024;
const keptChars = 512 * 1024;

function recorder(watched = true, answer: () => Promise<Acknowledged> = async () => ({ kind: "ok" })) {
  const sent: [seq: number, text: string][] = [];
  let fenced = 0;
  const stream = new TextStream({
    append: (seq, text) => {
      sent.push([seq, text]);
      return answer();
    },
    onFenced: () => fenced++,
    everyMs: 250,
    watched,
  });
  return { sent, stream, fenced: () => fenced, text: () => sent.map(([, text]) => text).join("") };
}

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

describe("the text of a watched attempt", () => {
  it("is gathered for 250 ms, in numbered chunks", async () => {
    const { sent, stream } = recorder();
    stream.push("a");
    stream.push("b");
    expect(sent).toEqual([]);
    await pass(250);
    stream.push("c");
    await pass(249);
    expect(sent).toEqual([[0, "ab"]]);
    await pass(1);
    expect(sent).toEqual([
      [0, "ab"],
      [1, "c"],
    ]);
  });

  it("goes out one call at a time", async () => {
    const answers: ((answer: Acknowledged) => void)[] = [];
    const { sent, stream } = recorder(true, () => new Promise((resolve) => answers.push(resolve)));
    stream.push("a");
    await pass(250);
    stream.push("b");
    await pass(5_000);
    expect(sent).toHaveLength(1);
    answers[0]?.({ kind: "ok" });
    await pass(250);
    expect(sent).toHaveLength(2);
  });

  it("goes out at the end at once, and nothing after", async () => {
    const { sent, stream } = recorder();
    stream.push("rest");
    stream.finish();
    expect(sent).toEqual([[0, "rest"]]);
    stream.push("late");
    await pass(1_000);
    expect(sent).toHaveLength(1);
  });

  it("ends with the fence, and survives a failed call", async () => {
    const fencing = recorder(true, async () => ({ kind: "fenced" }));
    fencing.stream.push("a");
    await pass(250);
    expect(fencing.fenced()).toBe(1);

    const failing = recorder(true, () => Promise.reject(new Error("refused")));
    failing.stream.push("a");
    await pass(250);
    failing.stream.push("b");
    await pass(250);
    expect(failing.sent).toHaveLength(2);
  });

  it("keeps each chunk within its bound, and characters whole", () => {
    const { sent, stream, text: sentText } = recorder();
    const text = `x${"🐦".repeat(chunkBytes / 4)}`;
    stream.push(text);
    stream.finish();
    expect(sent.length).toBeGreaterThan(1);
    expect(sentText()).toBe(text);
    for (const [, chunk] of sent) {
      expect(Buffer.byteLength(chunk)).toBeLessThanOrEqual(chunkBytes);
      expect(Buffer.from(chunk).toString()).toBe(chunk);
    }
  });
});

describe("the text of an attempt that nobody watches", () => {
  it("is sent to nobody, and at the end neither", async () => {
    const { sent, stream } = recorder(false);
    stream.push("a");
    await pass(60_000);
    stream.finish();
    expect(sent).toEqual([]);
  });

  it("is sent when somebody comes, no more when they go, and from the start when they come again", async () => {
    const { sent, stream, text } = recorder(false);
    stream.push("a".repeat(30_000));
    stream.setWatched(true);
    stream.push("b");
    await pass(500);
    expect(text()).toBe(`${"a".repeat(30_000)}b`);
    expect(sent.map(([seq]) => seq)).toEqual([0, 1]);
    stream.setWatched(false);
    stream.push("c");
    await pass(60_000);
    expect(sent).toHaveLength(2);
    stream.setWatched(true);
    await pass(500);
    expect(sent.slice(2).map(([seq]) => seq)).toEqual([2, 3]);
    expect(
      sent
        .slice(2)
        .map(([, chunk]) => chunk)
        .join(""),
    ).toBe(`${"a".repeat(30_000)}bc`);
  });

  it("is kept up to a result's size, without a hole", async () => {
    const { stream, text } = recorder(false);
    stream.push("a".repeat(keptChars - 1));
    stream.push("bb");
    stream.push("c");
    stream.setWatched(true);
    stream.finish();
    expect(text()).toBe("a".repeat(keptChars - 1));
  });
});
