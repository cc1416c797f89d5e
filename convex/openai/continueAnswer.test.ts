import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolCall } from "../../app/jobs/chat.ts";
import type { StreamItem } from "../../app/jobs/stream-item.ts";
import { conclude, continueAnswer, nothingSent, startAgain, type Streamed } from "./continueAnswer.ts";

type Piece = { readonly text: string; readonly data?: readonly StreamItem[] };

/** Plays attempts in pieces. Returns what a requester was sent; null if they diverged. */
function play(attempts: readonly (readonly Piece[])[]): Streamed | null {
  let state = nothingSent;
  let text = "";
  const logprobs: Streamed["logprobs"][number][] = [];
  const calls: ToolCall[] = [];
  for (const pieces of attempts) {
    state = startAgain(state);
    for (const piece of pieces) {
      const step = continueAnswer(state, [piece]);
      if (step.kind === "diverged") return null;
      text += step.fresh.text;
      logprobs.push(...step.fresh.logprobs);
      for (const { index, isFirst, ...part } of step.fresh.calls) {
        expect(isFirst).toBe(index === calls.length);
        calls[index] = { ...part, arguments: (calls[index]?.arguments ?? "") + part.arguments };
      }
      state = step.next;
    }
  }
  expect(state.sent).toEqual({ text, logprobs, calls });
  return { text, logprobs, calls };
}

const texts = (...all: readonly string[]): readonly Piece[] => all.map((text) => ({ text }));
const token = (text: string, logprob = -1): StreamItem => ({ token: { token: text, logprob, top: [] } });
const call = (name: string, id = name): StreamItem => ({ call: { id, name } });
const json = (part: string): StreamItem => ({ arguments: part });
const items = (...data: readonly StreamItem[]): Piece => ({ text: "", data });

describe("the text of a stream", () => {
  it("is passed on unchanged from one attempt", () => {
    expect(play([texts("a", "", "b")])?.text).toBe("ab");
  });

  it("of a later attempt is skipped where it was already sent", () => {
    expect(play([texts("Blue ", "is"), texts("Bl"), texts("Blue is", " one")])?.text).toBe("Blue is one");
  });

  it("that differs in a later attempt is noticed at once", () => {
    expect(play([texts("Blue"), texts("R")])).toBeNull();
    expect(play([texts("Blue"), texts("Blue", " is"), texts("Blue it")])).toBeNull();
  });

  it("is sent to its end, even if a cut end was sent", () => {
    const sent = (text: string): Streamed => ({ text, logprobs: [], calls: [] });
    expect(conclude(sent("Blue "), sent("Blue is one."))).toMatchObject({ fresh: { text: "is one." } });
    expect(conclude(sent("Blue is one. Stop"), sent("Blue is one."))).toMatchObject({ fresh: { text: "" } });
    expect(conclude(sent("Blue"), sent("Red"))).toEqual({ kind: "diverged" });
  });
});

describe("log probabilities", () => {
  it("are sent once for each token, though another device computes slightly different ones", () => {
    const first = [{ text: "a b", data: [token("a", -0.1), token(" b", -0.2)] }];
    const second = [
      { text: "a b", data: [token("a", -0.11)] },
      { text: " c", data: [token(" b", -0.21), token(" c", -0.3)] },
    ];
    expect(play([first, second])).toMatchObject({
      text: "a b c",
      logprobs: [{ logprob: -0.1 }, { logprob: -0.2 }, { logprob: -0.3 }],
    });
  });
});

describe("calls of tools", () => {
  it("go on in another attempt, with the id that was sent first", () => {
    const first = [items(call("weather", "c1"), json('{"ci'))];
    const second = [
      items(call("weather", "other"), json('{"c')),
      items(json('ity":1}')),
      items(call("clock")),
    ];
    expect(play([first, second])?.calls).toEqual([
      { id: "c1", name: "weather", arguments: '{"city":1}' },
      { id: "clock", name: "clock", arguments: "" },
    ]);
  });

  it("have no blanks before their arguments, as at their end", () => {
    const first = [items(call("f", "c"), json("\n ")), items(json(' {"a"')), items(json(" "), json(":1}"))];
    const streamed = play([first]);
    expect(streamed?.calls).toEqual([{ id: "c", name: "f", arguments: '{"a" :1}' }]);
    const answer = (args: string): Streamed => ({
      text: "",
      logprobs: [],
      calls: [{ id: "c", name: "f", arguments: args }],
    });
    expect(conclude(streamed!, answer('{"a" :1}'))).toMatchObject({ kind: "parts", fresh: { calls: [] } });
    // A call that the bound of tokens cut keeps its blanks.
    expect(conclude(streamed!, answer('\n  {"a" :1}'))).toMatchObject({
      kind: "parts",
      fresh: { calls: [] },
    });
  });

  it("that differ in a later attempt are noticed", () => {
    expect(play([[items(call("weather"))], [items(call("clock"))]])).toBeNull();
    expect(play([[items(call("f"), json('{"a'))], [items(call("f"), json('{"b'))]])).toBeNull();
  });

  it("are sent whole at the end, and must be those that were streamed", () => {
    const sent = { text: "", logprobs: [], calls: [{ id: "c", name: "f", arguments: '{"a"' }] };
    const answer = (...calls: readonly ToolCall[]): Streamed => ({ text: "", logprobs: [], calls });
    const whole = { id: "c", name: "f", arguments: '{"a":1}' };
    const next = { id: "d", name: "g", arguments: "{}" };
    expect(conclude(sent, answer(whole, next))).toMatchObject({
      fresh: {
        calls: [
          { ...whole, arguments: ":1}", index: 0, isFirst: false },
          { ...next, index: 1, isFirst: true },
        ],
      },
    });
    const diverged = { kind: "diverged" };
    expect(conclude(sent, answer())).toEqual(diverged);
    expect(conclude(sent, answer({ ...whole, arguments: "{" }))).toEqual(diverged);
    expect(conclude(sent, answer({ ...whole, name: "g" }))).toEqual(diverged);
  });
});

it("everything is sent exactly once despite any number of interruptions", () => {
  const word = fc.string({ unit: "binary", maxLength: 5 });
  const piece = fc.record({
    text: word,
    data: fc.array(
      fc.oneof(
        word.map((text) => token(text)),
        word.map((name) => call(name)),
        word.map(json),
      ),
      { maxLength: 3 },
    ),
  });
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), fc.array(fc.nat(8), { maxLength: 5 }), (whole, cuts) => {
      const attempts = [...cuts.map((cut) => whole.slice(0, cut)), whole];
      expect(play(attempts)).toEqual(play([whole]));
    }),
  );
});
