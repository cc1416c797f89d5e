import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StopMatcher } from "./stop-matcher.ts";

function feed(stops: readonly string[], pieces: readonly string[]): { text: string; stopped: boolean } {
  const matcher = new StopMatcher(stops);
  let text = "";
  for (const piece of pieces) {
    const seen = matcher.push(piece);
    text += seen.text;
    if (seen.stopped) return { text, stopped: true };
  }
  return { text: text + matcher.flush(), stopped: false };
}

describe("StopMatcher", () => {
  it("cuts before a stop string that came in pieces", () => {
    expect(feed(["END"], ["one E", "N", "D two"])).toEqual({ text: "one ", stopped: true });
  });

  it("holds back the possible beginning of a stop string until that is certain", () => {
    const matcher = new StopMatcher(["END"]);
    expect(matcher.push("one EN")).toEqual({ text: "one ", stopped: false });
    expect(matcher.push("TER")).toEqual({ text: "ENTER", stopped: false });
  });

  it("stops at the stop string that begins first", () => {
    expect(feed(["b", "abc"], ["xabc"])).toEqual({ text: "x", stopped: true });
  });

  it("returns the held text at the end", () => {
    expect(feed(["END"], ["the E", "N"])).toEqual({ text: "the EN", stopped: false });
  });

  it("cuts at the same place however the text arrives", () => {
    const letters = fc.constantFrom("a", "b", "c");
    const word = (max: number): fc.Arbitrary<string> =>
      fc.array(letters, { minLength: 1, maxLength: max }).map((all) => all.join(""));
    fc.assert(
      fc.property(
        fc.array(word(3), { maxLength: 3 }),
        fc.array(word(4), { maxLength: 8 }),
        (stops, pieces) => {
          // A stop string inside another may end first. Then the cut depends on the pieces.
          fc.pre(stops.every((one) => stops.every((other) => one === other || !other.includes(one))));
          const whole = pieces.join("");
          const found = stops.map((stop) => whole.indexOf(stop)).filter((index) => index >= 0);
          const expected = found.length === 0 ? whole : whole.slice(0, Math.min(...found));
          expect(feed(stops, pieces).text).toBe(expected);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
