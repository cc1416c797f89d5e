import type { Value } from "convex/values";
import { describe, expect, it } from "vitest";
import { claimedJob } from "../fake-queue.fixture.ts";
import { MachineAtTest } from "./machine.fixture.ts";

const chunkBytes = 64 * 1024;
const keptChars = 512 * 1024;

function recorder({ watched = true, answered = true } = {}) {
  const at = MachineAtTest.greeted();
  if (answered) at.answers.append = { kind: "ok" };
  at.hold(claimedJob("a1", { watched }));
  const chunks = () => at.sent("append").map(({ args }) => args);
  return {
    at,
    push: (text: string, data: Value[] = []) => at.send({ kind: "text", attemptId: "a1", text, data }),
    watch: (isWatched: boolean) => at.send({ kind: "held", rows: [{ attemptId: "a1", watched: isWatched }] }),
    finish: () =>
      at.send({
        kind: "handler-ended",
        attemptId: "a1",
        end: { kind: "done", result: null, report: undefined },
      }),
    sent: () => chunks().map(({ seq, text }) => [seq, text] as const),
    data: () => chunks().map((chunk) => chunk.data ?? []),
    text: () =>
      chunks()
        .map(({ text }) => text)
        .join(""),
  };
}

describe("watched text", () => {
  it("the text of a watched attempt begins at once, and is then collected and sent in numbered chunks", () => {
    const { at, push, sent } = recorder();
    push("a");
    expect(sent()).toEqual([[0, "a"]]);
    push("b");
    push("c");
    at.pass(99);
    expect(sent()).toHaveLength(1);
    at.pass(1);
    expect(sent()).toEqual([
      [0, "a"],
      [1, "bc"],
    ]);
  });

  it("a text that comes slowly is sent as it comes", () => {
    const { at, push, sent } = recorder();
    for (let n = 0; n < 5; n += 1) {
      push("a");
      at.pass(700);
      expect(sent()).toHaveLength(n + 1);
    }
  });

  it("the chunks of a text follow less and less closely: a minute of a fast one has about a hundred", () => {
    const { at, push, sent } = recorder();
    at.answers.heartbeat = null;
    const counts: number[] = [];
    for (let ms = 0; ms < 60_000; ms += 20) {
      push("a");
      at.pass(20);
      if ([980, 59_980].includes(ms)) counts.push(sent().length);
    }
    expect(counts[0]).toBeGreaterThanOrEqual(8);
    expect(counts[1]).toBeLessThanOrEqual(105);
    expect(counts[1]).toBeGreaterThanOrEqual(90);
  });

  it("the text of a watched attempt is sent one call at a time", () => {
    const { at, push, sent } = recorder({ answered: false });
    push("a");
    at.pass(250);
    push("b");
    at.pass(5_000);
    expect(sent()).toHaveLength(1);
    at.answer("append", { kind: "ok" });
    at.pass(250);
    expect(sent()).toHaveLength(2);
  });

  it("the text of a watched attempt is sent at once at the attempt's end, and nothing afterward", () => {
    const { at, push, finish, sent } = recorder();
    push("rest");
    finish();
    expect(sent()).toEqual([[0, "rest"]]);
    push("late");
    at.pass(1_000);
    expect(sent()).toHaveLength(1);
  });

  it("the text of a watched attempt ends with a fence, which aborts the handler", () => {
    const fencing = recorder();
    fencing.at.answers.append = { kind: "fenced" };
    fencing.push("a");
    fencing.at.pass(250);
    expect(fencing.at.effects).toContainEqual({ kind: "abort", attemptId: "a1" });
  });

  it.each(["refused", "broken"] as const)(
    "nothing follows a chunk that was %s, so readers see no hole",
    (kind) => {
      const { at, push, finish, sent } = recorder();
      push("a");
      at.pass(250);
      at.failures.append = [kind];
      push("b");
      at.pass(250);
      push("c");
      at.pass(250);
      finish();
      expect(sent().map(([, text]) => text)).toEqual(["a", "b"]);
      expect(at.sent("complete")).toHaveLength(1);
    },
  );

  it("the text of a watched attempt is cut into bounded chunks, and not in the middle of a character", () => {
    const { push, finish, sent, text: sentText } = recorder();
    const text = `x${"🐦".repeat(chunkBytes / 4)}`;
    push(text);
    finish();
    expect(sent().length).toBeGreaterThan(1);
    expect(sentText()).toBe(text);
    for (const [, chunk] of sent()) {
      expect(Buffer.byteLength(chunk)).toBeLessThanOrEqual(chunkBytes);
      expect(Buffer.from(chunk).toString()).toBe(chunk);
    }
  });
});

describe("unwatched text", () => {
  it("the text of an attempt that nobody watches is not sent, not even at the end", () => {
    const { at, push, finish, sent } = recorder({ watched: false });
    push("a");
    at.pass(60_000);
    finish();
    expect(sent()).toEqual([]);
  });

  it("the text of an attempt that nobody watches at first is sent from the start to each later watcher", () => {
    const { at, push, watch, sent, text } = recorder({ watched: false });
    at.answers.heartbeat = null;
    push("a".repeat(30_000));
    watch(true);
    push("b");
    at.pass(500);
    expect(text()).toBe(`${"a".repeat(30_000)}b`);
    expect(sent().map(([seq]) => seq)).toEqual([0, 1]);
    watch(false);
    push("c");
    at.pass(60_000);
    expect(sent()).toHaveLength(2);
    watch(true);
    at.pass(500);
    const again = sent().slice(2);
    expect(again.map(([seq]) => seq)).toEqual([2, 3]);
    const firsts = at.sent("append").map(({ args }) => args.isFirst);
    expect(firsts).toEqual([undefined, undefined, true, undefined]);
    expect(again.map(([, chunk]) => chunk).join("")).toBe(`${"a".repeat(30_000)}bc`);
  });

  it("the text of an attempt that nobody watches is kept without a gap, up to the size of a result", () => {
    const { push, watch, finish, text } = recorder({ watched: false });
    push("a".repeat(keptChars - 1));
    push("bb");
    push("c");
    watch(true);
    finish();
    expect(text()).toBe("a".repeat(keptChars - 1));
  });
});

describe("the data beside a text", () => {
  it("comes with the text that was there, in its order", () => {
    const { at, push, sent, data } = recorder();
    push("a", [1]);
    push("b", [2, 3]);
    push("", [{ call: "f" }]);
    at.pass(100);
    expect(sent()).toEqual([
      [0, "a"],
      [1, "b"],
    ]);
    expect(data()).toEqual([[1], [2, 3, { call: "f" }]]);
    push("", ["more"]);
    at.pass(700);
    expect(sent()[2]).toEqual([2, ""]);
    expect(data()[2]).toEqual(["more"]);
  });

  it("comes from its start to a late reader", () => {
    const { at, push, watch, text, data } = recorder({ watched: false });
    push("a", [1]);
    push("b", [2]);
    at.pass(1_000);
    expect(data()).toEqual([]);
    watch(true);
    at.pass(1_000);
    expect(text()).toBe("ab");
    expect(data().flat()).toEqual([1, 2]);
  });

  it("is divided into chunks within their bound, and never comes before its text", () => {
    const { push, finish, sent, data } = recorder();
    const item = (n: number): string => `${"é".repeat(5_000)}${String(n)}`;
    push("start");
    for (let n = 0; n < 12; n += 1) push(`${"語".repeat(3_000)}${String(n)} `, [item(n)]);
    push("語".repeat(30_000), [item(12)]);
    finish();
    const bytes = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;
    let text = "";
    const items: unknown[] = [];
    for (const [index, [, piece]] of sent().entries()) {
      text += piece;
      const more = data()[index] ?? [];
      items.push(...more);
      expect(bytes(more) + new TextEncoder().encode(piece).length).toBeLessThanOrEqual(chunkBytes);
      for (let n = 0; n < Math.min(items.length, 12); n += 1) expect(text).toContain(`${String(n)} `);
    }
    expect(items).toEqual(Array.from({ length: 13 }, (_, n) => item(n)));
    expect(text).toHaveLength(5 + 10 * 3_002 + 2 * 3_003 + 30_000);
  });

  it("ends, and the text with it, at a value that is too large or that Convex cannot keep", () => {
    for (const wrong of ["x".repeat(chunkBytes), () => 0]) {
      const { at, push, text, data } = recorder();
      push("a", [1]);
      push("b", [wrong as Value]);
      push("c", [2]);
      at.pass(1_000);
      expect([text(), data().flat()]).toEqual(["a", [1]]);
    }
  });
});
