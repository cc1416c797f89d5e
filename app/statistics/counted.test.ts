import { expect, it } from "vitest";
import { countedSum, countedWords } from "./counted.ts";

it("shows exact counts as they are, and never more than it knows", () => {
  expect(countedWords({ count: 0, exact: true })).toBe("0");
  expect(countedWords({ count: 99, exact: true })).toBe("99");
  expect(countedWords({ count: 100, exact: false })).toBe("100+");
  expect(countedWords({ count: 2_318, exact: false })).toBe("about 2,318");
});

it("adds counts, and the sum is exact only if both are", () => {
  expect(countedSum({ count: 2, exact: true }, { count: 3, exact: true })).toEqual({ count: 5, exact: true });
  expect(countedSum({ count: 100, exact: false }, { count: 3, exact: true })).toEqual({
    count: 103,
    exact: false,
  });
});
