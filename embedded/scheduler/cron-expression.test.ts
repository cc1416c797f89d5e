import { describe, expect, test } from "vitest";
import { CronExpressionError, parseCronExpression } from "./cron-expression.ts";
import { nextMatch } from "./cron-fields.ts";

const next = (expression: string, after: string): string | null => {
  const time = nextMatch(parseCronExpression(expression), Date.parse(after));
  return time === null ? null : new Date(time).toISOString();
};

describe("a cron string's next time", () => {
  test.each([
    ["* * * * *", "2026-11-21T10:00:30Z", "2026-11-21T10:01:00.000Z"],
    ["15 7 * * *", "2026-11-21T07:15:00Z", "2026-11-22T07:15:00.000Z"],
    ["*/20 * * * *", "2026-11-21T10:41:00Z", "2026-11-21T11:00:00.000Z"],
    ["5/15 * * * *", "2026-11-21T10:00:00Z", "2026-11-21T10:05:00.000Z"],
    ["0 9-17/4 * * *", "2026-11-21T13:30:00Z", "2026-11-21T17:00:00.000Z"],
    ["0 0 29 2 *", "2026-03-01T00:00:00Z", "2028-02-29T00:00:00.000Z"],
    ["30 4 1,15 * 5", "2026-11-21T00:00:00Z", "2026-11-27T04:30:00.000Z"],
    ["0 12 * jan mon-fri", "2026-11-21T00:00:00Z", "2027-01-01T12:00:00.000Z"],
    ["0 0 * * 7", "2026-11-21T00:00:00Z", "2026-11-22T00:00:00.000Z"],
    ["59 23 31 12 *", "2026-12-31T23:59:00Z", "2027-12-31T23:59:00.000Z"],
  ])("%s after %s is %s", (expression, after, expected) => {
    expect(next(expression, after)).toBe(expected);
  });

  test("is null where no date ever matches", () => {
    expect(next("0 0 31 2 *", "2026-01-01T00:00:00Z")).toBeNull();
  });
});

test.each([
  "* * * *",
  "60 * * * *",
  "* 24 * * *",
  "* * 0 * *",
  "* * * 13 *",
  "a * * * *",
  "5-1 * * * *",
  "*/0 * * * *",
  "*-3 * * * *",
])("refuses %s", (expression) => {
  expect(() => parseCronExpression(expression)).toThrow(CronExpressionError);
});
