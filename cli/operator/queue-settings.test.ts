import { expect, it } from "vitest";
import { CommandError } from "../command/command.ts";
import { readChanges } from "./queue-settings.ts";

it("reads changes of settings, and returns those without a value to their defaults", () => {
  expect(readChanges(["maxQueued=5000", "leaseMs=2e4", "watchMs="])).toEqual({
    maxQueued: 5_000,
    leaseMs: 20_000,
    watchMs: null,
  });
});

it.each(["maxQueued", "=5", "maxQueued=many", "max queued=5", "maxQueued=Infinity"])(
  "refuses the change %j",
  (change) => {
    expect(() => readChanges([change])).toThrow(CommandError);
  },
);
