import { expect, it } from "vitest";
import { pack } from "./embed.ts";

it("packs a vector as 32-bit floats, scaled to length 1", () => {
  const bytes = Buffer.from(pack([3, 4]), "base64");
  expect([bytes.length, bytes.readFloatLE(0), bytes.readFloatLE(4)]).toEqual([
    8,
    Math.fround(0.6),
    Math.fround(0.8),
  ]);
  expect(Buffer.from(pack([0, 0]), "base64").readFloatLE(0)).toBe(0);
});
