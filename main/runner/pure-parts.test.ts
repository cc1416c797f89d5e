import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../../app/jobs/chat.ts";
import { pack } from "./embed.ts";
import { historyOf } from "./generate/history.ts";
import { JsonEnd } from "./generate/json-end.ts";
import { choicesWithin } from "./generate/logprobs.ts";
import { mayBegin } from "./job-turns.ts";
import { chooseSequence } from "./load/sequence-choice.ts";
import { DutyCycle } from "./process/duty-cycle.ts";

describe("chooseSequence", () => {
  const empty = { shared: 0, held: 0, usedAt: -1 };
  const old = { shared: 5, held: 500, usedAt: 1 };
  const recent = { shared: 5, held: 500, usedAt: 9 };
  const alike = { shared: 400, held: 500, usedAt: 3 };
  it.each([
    ["the one that has most of the prompt", [empty, old, alike, recent], 2],
    ["an empty one rather than one that shares a template", [old, empty, recent], 1],
    ["the one that was not used for longest", [recent, old], 1],
    ["none where there is none", [], -1],
  ])("takes %s", (_, free, index) => {
    expect(chooseSequence(free)).toBe(index);
  });
});

describe("mayBegin", () => {
  const [m, n] = [{ key: "m" }, { key: "n" }];
  const loaded = { key: "m", sequences: 3 };
  it.each([
    ["nobody waits", [], [], loaded, 0],
    ["nothing is loaded", [m, m], [], null, 1],
    ["the first one loads", [m], [m], null, 0],
    ["there is room", [m, m], [m], loaded, 2],
    ["there is less room", [m, m, m], [m, m], loaded, 1],
    ["it is full", [m], [m, m, m], loaded, 0],
    ["another model's job waits first", [n, m], [m], loaded, 0],
    ["another model's job waits in between", [m, n, m], [m], loaded, 1],
    ["another model's turn has come", [n, n, m], [], loaded, 1],
    ["another model's job runs", [m], [n], loaded, 0],
  ])("when %s", (_, waiting, running, kept, count) => {
    expect(mayBegin(waiting, running, kept)).toBe(count);
  });
});

describe("JsonEnd", () => {
  it.each([
    ['{"a":[1,{"b":"}"}]} tail', 19],
    ['["\\"]"]', 7],
    ['{"a":1', null],
    ["12 ", null],
  ])("of %s is at %s", (text, end) => {
    expect(new JsonEnd().push(text)).toBe(end);
    const bySigns = new JsonEnd();
    const found = Array.from(text).findIndex((sign) => bySigns.push(sign) !== null);
    expect(found === -1 ? null : found + 1).toBe(end);
  });
});

describe("historyOf", () => {
  const user = (content: string): ChatMessage => ({ role: "user", content });
  const call = { id: "1", name: "f", arguments: '{"a":1}' };

  it("ends with the place of the answer", () => {
    expect(historyOf([user("hi")])).toEqual([
      { type: "user", text: "hi" },
      { type: "model", response: [] },
    ]);
    expect(historyOf([user("hi"), { role: "assistant", content: "ho" }])).toEqual([
      { type: "user", text: "hi" },
      { type: "model", response: ["ho"] },
      { type: "model", response: [] },
    ]);
  });

  it("goes on with the answer that called a tool", () => {
    const messages: ChatMessage[] = [
      user("hi"),
      { role: "assistant", content: "well", toolCalls: [call] },
      { role: "tool", content: "[2]", toolCallId: "1" },
    ];
    const called = { type: "functionCall", name: "f", params: { a: 1 }, result: [2], startsNewChunk: true };
    expect(historyOf(messages)).toEqual([
      { type: "user", text: "hi" },
      { type: "model", response: ["well", called] },
    ]);
    expect(historyOf([...messages, { role: "assistant", content: "so" }, user("ok")])).toEqual([
      { type: "user", text: "hi" },
      { type: "model", response: ["well", called, "so"] },
      { type: "user", text: "ok" },
      { type: "model", response: [] },
    ]);
  });

  it("takes results that are no JSON, and leaves out those of no call", () => {
    const messages: ChatMessage[] = [
      { role: "assistant", content: "", toolCalls: [call] },
      { role: "tool", content: "not {json", toolCallId: "1" },
      { role: "tool", content: "lost", toolCallId: "2" },
    ];
    expect(historyOf(messages)).toMatchObject([{ response: [{ result: "not {json" }] }]);
  });
});

it("packs a vector of length 1 as 32-bit floats", () => {
  const bytes = Buffer.from(pack([3, 4]), "base64");
  expect([bytes.length, bytes.readFloatLE(0), bytes.readFloatLE(4)]).toEqual([
    8,
    Math.fround(0.6),
    Math.fround(0.8),
  ]);
  expect(Buffer.from(pack([0, 0]), "base64").readFloatLE(0)).toBe(0);
});

it("keeps the log probabilities of the text that is left, and no others", () => {
  const choices = ["a", "bc", "", "d"].map((token) => ({ token, logprob: 0, top: [] }));
  const tokensOf = (text: string): string[] => choicesWithin(choices, text).map(({ token }) => token);
  expect(tokensOf("abcd")).toEqual(["a", "bc", "", "d"]);
  expect(tokensOf("ab")).toEqual(["a", "bc"]);
  expect(tokensOf("")).toEqual([]);
});

describe("DutyCycle", { timeout: 30_000 }, () => {
  const never = new AbortController().signal;

  it("lets work go on without a pause by itself", () => {
    expect(new DutyCycle().paceFor(never)()).toBeNull();
  });

  it("rests in proportion to the work, all jobs together", async () => {
    const duty = new DutyCycle();
    duty.share = 0.5;
    const [one, other] = [duty.paceFor(never), duty.paceFor(never)];
    expect(one()).toBeNull();
    const workedFrom = performance.now();
    let rest = one();
    while (rest === null) rest = one();
    const worked = performance.now() - workedFrom;
    const restedFrom = performance.now();
    await Promise.all([rest, other()]);
    expect(worked).toBeGreaterThanOrEqual(19);
    expect(performance.now() - restedFrom).toBeGreaterThanOrEqual(18);
    expect([one(), other()]).toEqual([null, null]);
  });

  it("stands still until it may work again, also where it rested already; but not for a job that is aborted", async () => {
    const duty = new DutyCycle();
    duty.share = 0.5;
    const aborted = new AbortController();
    const [one, other] = [duty.paceFor(never), duty.paceFor(aborted.signal)];
    void one();
    let rest = one();
    while (rest === null) rest = one();
    duty.share = 0;
    const stoodAt = duty.clock();
    let goneOn = 0;
    void rest.then(() => (goneOn += 1));
    const left = other();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(goneOn).toBe(0);
    aborted.abort();
    await left;
    expect([goneOn, duty.clock()]).toEqual([0, stoodAt]);
    duty.share = 1;
    await rest;
    expect(one()).toBeNull();
    expect(duty.clock()).toBeGreaterThanOrEqual(stoodAt);
    expect(performance.now() - duty.clock()).toBeGreaterThan(99);
    duty.share = 0;
    const still = one();
    expect(still).not.toBeNull();
    duty.share = 0.5;
    await still;
    expect(goneOn).toBe(1);
  });

  it("lets nothing long begin while it stands still, and everything else, which costs no rest", async () => {
    const duty = new DutyCycle();
    const start = duty.startFor(never);
    expect(start()).toBeNull();
    duty.share = 0.5;
    expect(start()).toBeNull();
    const workedFrom = performance.now();
    while (performance.now() - workedFrom < 50);
    expect(duty.paceFor(never)()).toBeNull();
    duty.share = 0;
    const still = start();
    expect(still).not.toBeNull();
    duty.share = 0.5;
    await still;
    expect(start()).toBeNull();
  });

  it("ends a pause for a job that is aborted, and for no other", async () => {
    const duty = new DutyCycle();
    // A pause of minutes, after some milliseconds of work.
    duty.share = 0.000_01;
    const aborted = new AbortController();
    const [one, other] = [duty.paceFor(aborted.signal), duty.paceFor(never)];
    expect(one()).toBeNull();
    const workedFrom = performance.now();
    while (performance.now() - workedFrom < 5);
    const rest = one();
    let others = 0;
    void other()?.then(() => (others += 1));
    aborted.abort();
    await rest;
    expect(rest).not.toBeNull();
    expect(one()).toBeNull();
    expect(others).toBe(0);
    expect(other()).not.toBeNull();
  });
});
