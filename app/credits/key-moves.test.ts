import { expect, it } from "vitest";
import { allowanceName, keyMoveWords } from "./key-moves.ts";

it("says where the credits of a key are from", () => {
  expect(keyMoveWords({ micro: 1n })).toBe("Credits given");
  expect(keyMoveWords({ micro: -1n })).toBe("Credits taken back");
  expect(keyMoveWords({ micro: 1n, source: { kind: "earned" } })).toBe("Earned credits");
  expect(keyMoveWords({ micro: 1n, source: { kind: "given" } })).toBe("Given credits");
  expect(keyMoveWords({ micro: 1n, source: { kind: "given-and-earned" } })).toBe("Given and earned credits");
  expect(keyMoveWords({ micro: 1n, source: { kind: "canaries" } })).toBe("Credits for canaries");
  expect(keyMoveWords({ micro: 1n, source: { kind: "given-back" } })).toMatch(/^Price of an answer/);
  expect(keyMoveWords({ micro: 1n, source: { kind: "refund" } })).toBe("Refund of a disputed answer");
  const start = Date.parse("2026-11-01T00:00Z");
  expect(keyMoveWords({ micro: 1n, source: { kind: "allowance", every: "month", start } })).toBe(
    "Allowance for November 2026",
  );
});

it("names an allowance after its period", () => {
  const start = Date.parse("2026-11-16T00:00Z");
  expect(allowanceName({ every: "month", start })).toBe("Allowance for November 2026");
  expect(allowanceName({ every: "week", start })).toBe("Allowance for the week from 2026-11-16");
  expect(allowanceName({ every: "day", start })).toBe("Allowance for 2026-11-16");
});
