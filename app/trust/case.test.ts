import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openCase, stateOf, type TrustCase, type Voice, withVoice } from "./case.ts";

const voice = (device: string, verdict: Voice["verdict"]): Voice => ({ device, verdict });
const opened = openCase({ device: "a" }, voice("b", "mismatch"));
/** A voice of a device that belongs to somebody. */
const of = (
  owner: string,
  device: string,
  verdict: Voice["verdict"],
  teams: readonly string[] = [],
): Voice => ({
  ...voice(device, verdict),
  owner: { id: owner, teams },
});

describe("a case", () => {
  it("stays open until a third device has replayed the answer", () => {
    expect(stateOf(opened, true)).toEqual({ kind: "open" });
    expect(stateOf(opened, false)).toEqual({ kind: "undecided" });
  });

  it("ends against the device whose answer does not fit for two others", () => {
    expect(stateOf(withVoice(opened, voice("c", "mismatch")), true)).toEqual({
      kind: "wrong",
      about: "text",
      misjudged: [],
    });
  });

  it("has one voice of each owner, and none of the owner of the accused device", () => {
    const anns = openCase(
      { device: "a1", owner: { id: "ann", teams: ["office"] } },
      of("bob", "b1", "mismatch"),
    );
    const own = withVoice(anns, of("ann", "a2", "fits"));
    expect(withVoice(own, of("office", "o1", "fits"))).toBe(anns);
    expect(withVoice(anns, of("bob", "b2", "mismatch"))).toBe(anns);
    const cleared = withVoice(anns, of("cleo", "c1", "fits", ["office"]));
    expect(stateOf(cleared, true)).toEqual({ kind: "right", misjudged: ["b1"] });
  });

  it("hears each device of the organization", () => {
    expect(withVoice(opened, voice("c", "fits")).voices).toHaveLength(2);
  });

  it("does not add a voice about the text to one about the reported tokens", () => {
    const ofTokens = (device: string): Voice => ({ ...voice(device, "mismatch"), ofTokens: true });
    const mixed = withVoice(opened, ofTokens("c"));
    expect(stateOf(mixed, true)).toEqual({ kind: "open" });
    expect(stateOf(mixed, false)).toEqual({ kind: "undecided" });
    expect(stateOf(withVoice(mixed, ofTokens("d")), true)).toMatchObject({ kind: "wrong", about: "tokens" });
    const byText = withVoice(mixed, voice("d", "mismatch"));
    expect(stateOf(byText, true)).toMatchObject({ kind: "wrong", about: "text" });
  });

  it("ends for the device if the third one finds its answer right, and names the one that was wrong", () => {
    expect(stateOf(withVoice(opened, voice("c", "fits")), true)).toEqual({ kind: "right", misjudged: ["b"] });
  });

  it("asks a few more devices if one cannot tell, and then accuses nobody", () => {
    const unclear = ["c", "d", "e"].map((device) => voice(device, "unclear"));
    const asked = unclear.slice(0, 2).reduce(withVoice, opened);
    expect(stateOf(asked, true)).toEqual({ kind: "open" });
    expect(stateOf(unclear.reduce(withVoice, opened), true)).toEqual({ kind: "undecided" });
  });

  const voices = fc.array(
    fc.record(
      {
        device: fc.constantFrom("a", "b", "c", "d", "e", "f", "g"),
        owner: fc.constantFrom({ id: "ann", teams: ["office"] }, { id: "office", teams: [] }),
        verdict: fc.constantFrom("fits", "unclear", "mismatch"),
      } as const,
      { requiredKeys: ["device", "verdict"] },
    ),
    { maxLength: 12 },
  );

  it("hears each device once, and never the accused one", () => {
    fc.assert(
      fc.property(voices, (all) => {
        const heard = all.reduce<TrustCase>(withVoice, opened).voices.map(({ device }) => device);
        expect(new Set(heard).size).toBe(heard.length);
        expect(heard).not.toContain("a");
        const owned = all
          .reduce<TrustCase>(withVoice, opened)
          .voices.filter(({ owner }) => owner !== undefined);
        expect(owned.length).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("is never decided by one device, and always ends", () => {
    fc.assert(
      fc.property(voices, (all) => {
        let each = opened;
        let asked = 0;
        for (const next of all) {
          if (stateOf(each, true).kind !== "open") break;
          each = withVoice(each, next);
          asked += 1;
        }
        const state = stateOf(each, true);
        if (state.kind === "wrong") {
          expect(each.voices.filter(({ verdict }) => verdict === "mismatch").length).toBeGreaterThanOrEqual(
            2,
          );
        }
        if (state.kind === "open") expect(asked).toBe(all.length);
        expect(each.voices.length).toBeLessThanOrEqual(4);
      }),
    );
  });
});
