import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { continueText, nothingSent, reconcile, startAgain } from "./continueText.ts";

/** Plays attempts' texts in pieces. Returns the text that a requester was sent; null if they diverged. */
function play(attempts: readonly (readonly string[])[]): string | null {
  let state = nothingSent;
  let sent = "";
  for (const pieces of attempts) {
    state = startAgain(state);
    for (const piece of pieces) {
      const step = continueText(state, piece);
      if (step.kind === "diverged") return null;
      sent += step.fresh;
      state = step.next;
    }
  }
  expect(state.sent).toBe(sent);
  return sent;
}

describe("continueText", () => {
  it("passes one attempt's text on unchanged", () => {
    expect(play([["a", "", "b"]])).toBe("ab");
  });

  it("skips the text of a later attempt that was already sent", () => {
    expect(play([["Blue ", "is"], ["Bl"], ["Blue is", " one"]])).toBe("Blue is one");
  });

  it("notices at once that a later attempt's text differs", () => {
    expect(play([["Blue"], ["R"]])).toBeNull();
    expect(play([["Blue"], ["Blue", " is"], ["Blue it"]])).toBeNull();
  });

  it("sends every text exactly once despite any number of interruptions", () => {
    const pieces = fc.array(fc.string({ unit: "binary", maxLength: 5 }), { maxLength: 8 });
    fc.assert(
      fc.property(pieces, fc.array(fc.nat(8), { maxLength: 5 }), (whole, cuts) => {
        const attempts = [...cuts.map((cut) => whole.slice(0, cut)), whole];
        expect(play(attempts)).toBe(whole.join(""));
      }),
    );
  });

  it("sends the rest of the final text, even if a cut end was sent", () => {
    expect(reconcile("Blue ", "Blue is one.")).toMatchObject({ kind: "text", fresh: "is one." });
    expect(reconcile("Blue is one. Stop", "Blue is one.")).toMatchObject({ kind: "text", fresh: "" });
    expect(reconcile("Blue", "Red")).toEqual({ kind: "diverged" });
  });
});
