import { expect, it } from "vitest";
import { parseSettings, typedSettings } from "./parse-settings.ts";

const settings = {
  maxQueued: { own: 300_000, operators: 200_000 },
  maxQueuedPerRequester: { own: null, operators: 5_000 },
};

it("shows an own value, and the server's as an empty field", () => {
  expect(typedSettings(settings)).toEqual({ maxQueued: "300000", maxQueuedPerRequester: "" });
});

it.each([
  ["", "5000", { maxQueued: null, maxQueuedPerRequester: 5_000 }],
  // The operator set this value for the organization.
  ["300000", " 1 ", { maxQueued: 300_000, maxQueuedPerRequester: 1 }],
])("parses %j and %j", (maxQueued, maxQueuedPerRequester, values) => {
  expect(parseSettings({ maxQueued, maxQueuedPerRequester }, settings)).toEqual({ values, errors: {} });
});

it.each(["9", "200001", "1e3", "many", "-10"])("refuses %j", (maxQueued) => {
  expect(parseSettings({ maxQueued, maxQueuedPerRequester: "" }, settings)).toEqual({
    values: null,
    errors: { maxQueued: "Must be a whole number from 10 to 200,000." },
  });
});
