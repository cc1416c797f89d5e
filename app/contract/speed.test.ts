import { expect, it } from "vitest";
import { smoothedSpeed } from "./speed.ts";

it("moves a known speed toward the last measurement", () => {
  expect(smoothedSpeed(null, { prefill: 100, generate: 10 })).toEqual({ prefill: 100, generate: 10 });
  expect(smoothedSpeed({ prefill: 100, generate: 10 }, { prefill: 200, generate: 10 })).toEqual({
    prefill: 130,
    generate: 10,
  });
});
