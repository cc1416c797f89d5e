import { expect, test } from "vitest";
import {
  freshMs,
  mayAskForUnknownKey,
  nextKeyStep,
  retryAfterMs,
  staleMs,
  unknownKeyRetryMs,
} from "./key-refresh.ts";

const now = 1_800_000_000_000;

test.each([
  ["nothing yet", null, null, "fetch"],
  ["fresh", now - freshMs + 1, null, "use"],
  ["old", now - freshMs, null, "fetch"],
  ["fresh, and an unknown key was asked for in vain", now - 1000, now - 10, "use"],
  ["old, the issuer failed just now", now - freshMs, now - retryAfterMs + 1, "use"],
  ["old, the issuer failed a while ago", now - freshMs, now - retryAfterMs, "fetch"],
  ["too old, the issuer failed just now", now - staleMs, now - 1, "unavailable"],
  ["too old, the issuer failed a while ago", now - staleMs, now - retryAfterMs, "fetch"],
  ["nothing, the issuer failed just now", null, now - 1, "unavailable"],
  ["nothing, the issuer failed a while ago", null, now - retryAfterMs, "fetch"],
])("%s", (_, fetchedAt, failedAt, step) => {
  expect(nextKeyStep({ fetchedAt, failedAt }, now)).toBe(step);
});

test.each([
  [now - unknownKeyRetryMs, null, true],
  [now - unknownKeyRetryMs + 1, null, false],
  [now - freshMs, now - 1, false],
  [now - freshMs, now - unknownKeyRetryMs, true],
])("unknown key, keys fetched at %d, failed at %d: fetch again is %s", (fetchedAt, failedAt, asks) => {
  expect(mayAskForUnknownKey({ fetchedAt, failedAt }, now)).toBe(asks);
});
