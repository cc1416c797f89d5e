import { describe, expect, it } from "vitest";
import { type ChoiceFacts, choosePiece } from "./choose-piece.ts";

const alone: ChoiceFacts = {
  missing: [3, 4, 0],
  selfId: "self",
  companions: [],
  have: new Map(),
  seeded: false,
  byPiece: true,
  internet: true,
  help: "some",
};
const has = (done: number[], fetching: number[] = []) => ({
  done: new Set(done),
  fetching: new Set(fetching),
  held: done.length,
});
const all = Array.from({ length: 100 }, (_, piece) => piece);

describe("the next piece", () => {
  it("chooses the first missing piece if no other device is there", () => {
    expect(choosePiece(alone)).toEqual({ kind: "internet", piece: 3 });
    expect(choosePiece({ ...alone, internet: false })).toEqual({ kind: "wait" });
    expect(choosePiece({ ...alone, missing: [] })).toEqual({ kind: "wait" });
  });

  it("chooses a piece that another device has", () => {
    const have = new Map([
      ["a", has([4])],
      ["b", has([4])],
    ]);
    expect(choosePiece({ ...alone, have })).toEqual({ kind: "peer", piece: 4, holders: ["a", "b"] });
  });

  it("waits for a device that has or fetches the pieces, as long as it helps", () => {
    const seeded = { ...alone, seeded: true };
    expect(choosePiece(seeded)).toEqual({ kind: "wait" });
    expect(choosePiece({ ...seeded, help: "hardly" })).toEqual({ kind: "internet", piece: 3 });
    const fetched = { ...alone, have: new Map([["a", has([], [3, 4, 0])]]) };
    expect(choosePiece(fetched)).toEqual({ kind: "wait" });
    expect(choosePiece({ ...fetched, help: "hardly" })).toEqual({ kind: "wait" });
    expect(choosePiece({ ...fetched, help: "none" })).toEqual({ kind: "internet", piece: 3 });
  });

  it("assigns each piece to one of the devices that fetch together", () => {
    const ids = ["a", "b", "c", "d"];
    const takers = all.map((piece) =>
      ids.filter((selfId) => {
        const companions = ids.filter((id) => id !== selfId);
        return choosePiece({ ...alone, selfId, companions, missing: [piece] }).kind === "internet";
      }),
    );
    expect(takers.every((ones) => ones.length === 1)).toBe(true);
    expect(new Set(takers.flat()).size).toBe(4);
  });

  it("assigns all pieces to one device if single pieces cannot be verified", () => {
    const takers = ["a", "b", "c"].filter((selfId) => {
      const companions = ["a", "b", "c"].filter((id) => id !== selfId);
      return all.some(
        (piece) =>
          choosePiece({ ...alone, selfId, companions, byPiece: false, missing: [piece] }).kind === "internet",
      );
    });
    expect(takers).toHaveLength(1);
  });
});
