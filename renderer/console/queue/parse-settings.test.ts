import { expect, it } from "vitest";
import { parseSettings, typedSettings } from "./parse-settings.ts";

const settings = {
  maxQueued: { own: 300_000, operators: 200_000 },
  maxQueuedPerRequester: { own: null, operators: 5_000 },
  maxCallWaitMs: { own: 90_000, operators: 300_000 },
  maxWaitMs: { own: null, operators: 86_400_000 },
};
const waits = { maxCallWaitMs: "1.5", maxWaitMs: "" };
const storedWaits = { maxCallWaitMs: 90_000, maxWaitMs: null };

it("shows an own value, and the server's as an empty field", () => {
  expect(typedSettings(settings)).toEqual({ maxQueued: "300000", maxQueuedPerRequester: "", ...waits });
});

it.each([
  ["", "5000", { maxQueued: null, maxQueuedPerRequester: 5_000 }],
  // The operator set this value for the organization.
  ["300000", " 1 ", { maxQueued: 300_000, maxQueuedPerRequester: 1 }],
])("parses %j and %j", (maxQueued, maxQueuedPerRequester, values) => {
  expect(parseSettings({ maxQueued, maxQueuedPerRequester, ...waits }, settings)).toEqual({
    values: { ...values, ...storedWaits },
    errors: {},
  });
});

it.each(["9", "200001", "1e3", "many", "-10"])("refuses %j", (maxQueued) => {
  expect(parseSettings({ maxQueued, maxQueuedPerRequester: "", ...waits }, settings)).toEqual({
    values: null,
    errors: { maxQueued: "Must be a whole number from 10 to 200,000." },
  });
});

it("takes times in minutes", () => {
  const typed = { maxQueued: "", maxQueuedPerRequester: "", maxCallWaitMs: "5", maxWaitMs: "1440" };
  expect(parseSettings(typed, settings).values).toMatchObject({
    maxCallWaitMs: 300_000,
    maxWaitMs: 86_400_000,
  });
  expect(parseSettings({ ...typed, maxCallWaitMs: "6" }, settings).errors).toEqual({
    maxCallWaitMs: "Must be a whole number from 1 to 5.",
  });
});
