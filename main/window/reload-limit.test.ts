import { expect, it } from "vitest";
import { reloadLimit } from "./reload-limit.ts";

it("loads a page again three times in a minute", () => {
  const mayReload = reloadLimit();
  expect([0, 1_000, 2_000, 3_000, 4_000].map(mayReload)).toEqual([true, true, true, false, false]);
});

it("always loads a page again that crashes rarely", () => {
  const mayReload = reloadLimit();
  expect([0, 30_000, 60_000, 90_000, 120_000].map(mayReload)).not.toContain(false);
});

it("allows more once the crashes are a minute old", () => {
  const mayReload = reloadLimit();
  [0, 1, 2, 3].forEach(mayReload);
  expect(mayReload(60_003)).toBe(true);
});
