import { expect, test } from "vitest";
import {
  FRESH_MS,
  mayAskForUnknownKey,
  nextKeyStep,
  RETRY_AFTER_MS,
  STALE_MS,
  UNKNOWN_KEY_RETRY_MS,
} from "./key-refresh.ts";

const now = 1_800_000_000_000;

test.each([
  ["nothing yet", null, null, "fetch"],
  ["fresh", now - FRESH_MS + 1, null, "use"],
  ["old", now - FRESH_MS, null, "fetch"],
  ["fresh, and an unknown key was asked for in vain", now - 1000, now - 10, "use"],
  ["old, the issuer failed just now", now - FRESH_MS, now - RETRY_AFTER_MS + 1, "use"],
  ["old, the issuer failed a while ago", now - FRESH_MS, now - RETRY_AFTER_MS, "fetch"],
  ["too old, the issuer failed just now", now - STALE_MS, now - 1, "unavailable"],
  ["too old, the issuer failed a while ago", now - STALE_MS, now - RETRY_AFTER_MS, "fetch"],
  ["nothing, the issuer failed just now", null, now - 1, "unavailable"],
  ["nothing, the issuer failed a while ago", null, now - RETRY_AFTER_MS, "fetch"],
])("%s", (_, fetchedAt, failedAt, step) => {
  expect(nextKeyStep({ fetchedAt, failedAt }, now)).toBe(step);
});

test.each([
  [now - UNKNOWN_KEY_RETRY_MS, null, true],
  [now - UNKNOWN_KEY_RETRY_MS + 1, null, false],
  [now - FRESH_MS, now - 1, false],
  [now - FRESH_MS, now - UNKNOWN_KEY_RETRY_MS, true],
])("an unknown key, keys fetched at %d, failed at %d: ask again is %s", (fetchedAt, failedAt, asks) => {
  expect(mayAskForUnknownKey({ fetchedAt, failedAt }, now)).toBe(asks);
});
