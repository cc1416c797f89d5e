import { expect, it } from "vitest";
import { promiseCases, promiseRows, promiseTable } from "./cases.ts";

const figures = { promises: 200, byExpected: 90, slack: 2 };
const made = { weeks: 2, moment: "at the start" } as const;

it("a row has the promises of all seeds, and says for how many they were kept as often as they should be", () => {
  const cases = [183, 184, 196, 197].map((kept, seed) => ({ ...made, ...figures, kept, seed }));
  const [row, ...others] = promiseRows(cases);
  expect(others).toEqual([]);
  expect(row).toEqual({
    ...made,
    kept: 0.95,
    leastKept: 0.915,
    mostKept: 0.985,
    within: 2,
    seeds: 4,
    byExpected: 0.45,
    slack: 2,
  });
  expect(promiseTable([row!]).split("\n")[1]).toMatch(/95\.0 % +91\.5 % to 98\.5 % +2 of 4 seeds +45\.0 %/);
});

it("each seed draws other offices, and the same ones again", () => {
  const options = { laptops: 10, each: 3 };
  const [one, other, again] = [7, 8, 7].map((seed) => promiseCases({ ...options, seed, seeds: 1 }));
  expect(one).toEqual(again);
  expect(one?.map(({ slack }) => slack)).not.toEqual(other?.map(({ slack }) => slack));
  expect(promiseCases({ ...options, seed: 7, seeds: 2 })).toEqual([...(one ?? []), ...(other ?? [])]);
});
