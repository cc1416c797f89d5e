import { expect, it } from "vitest";
import { calls } from "../../../app/contract/ipc.ts";
import { minutesUntilTomorrow, pauseChoices } from "./pause-choices.ts";

it("counts the minutes until tomorrow morning, also from just after midnight", () => {
  expect(minutesUntilTomorrow(8, new Date(2026, 5, 10, 18, 30).getTime())).toBe(13.5 * 60);
  expect(minutesUntilTomorrow(8, new Date(2026, 5, 10, 0, 30).getTime())).toBe(31.5 * 60);
  expect(minutesUntilTomorrow(8, new Date(2026, 5, 30, 7, 59, 30).getTime())).toBe(24 * 60 + 1);
});

it("offers only what the contract takes", () => {
  for (const hour of [0, 7, 12, 23]) {
    for (const { minutes } of pauseChoices(new Date(2026, 2, 28, hour).getTime())) {
      expect(calls.pause.argument.safeParse({ minutes }).success).toBe(true);
    }
  }
});
