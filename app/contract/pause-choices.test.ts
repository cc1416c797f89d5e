import { expect, it } from "vitest";
import { calls } from "./donor-calls.ts";
import { pauseChoices, pauseMinutes } from "./pause-choices.ts";

it("computes the minutes until tomorrow morning, even just after midnight", () => {
  const morning = { kind: "until-tomorrow", hour: 8 } as const;
  expect(pauseMinutes(morning, new Date(2026, 5, 10, 18, 30).getTime())).toBe(13.5 * 60);
  expect(pauseMinutes(morning, new Date(2026, 5, 10, 0, 30).getTime())).toBe(31.5 * 60);
  expect(pauseMinutes(morning, new Date(2026, 5, 30, 7, 59, 30).getTime())).toBe(24 * 60 + 1);
});

it("computes the minutes until a weekday, and on that day until the next week", () => {
  const monday = { kind: "until-weekday", weekday: 1, hour: 8 } as const;
  // The 21st of November 2026 is a Saturday.
  expect(pauseMinutes(monday, new Date(2026, 10, 21, 8).getTime())).toBe(2 * 24 * 60);
  expect(pauseMinutes(monday, new Date(2026, 10, 22, 20).getTime())).toBe(12 * 60);
  expect(pauseMinutes(monday, new Date(2026, 10, 23, 7).getTime())).toBe((7 * 24 + 1) * 60);
});

it("offers only pauses that the contract accepts", () => {
  for (const hour of [0, 7, 12, 23]) {
    for (const { length } of pauseChoices) {
      const minutes = pauseMinutes(length, new Date(2026, 2, 28, hour).getTime());
      expect(calls.pause.argument.safeParse({ minutes }).success).toBe(true);
    }
  }
});
