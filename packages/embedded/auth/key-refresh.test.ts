import { expect, test } from "vitest";
import {
  freshMs,
  mayFetchForUnknownKey,
  nextKeyStep,
  retryAfterMs,
  staleMs,
  unknownKeyRetryMs,
} from "./key-refresh.ts";

const now = 1_800_000_000_000;

test.each([
  ["no keys yet", null, null, "fetch"],
  ["fresh keys", now - freshMs + 1, null, "use"],
  ["old keys", now - freshMs, null, "fetch"],
  ["fresh keys without an unknown one", now - 1000, now - 10, "use"],
  ["old keys, the issuer failed just now", now - freshMs, now - retryAfterMs + 1, "use"],
  ["old keys, the issuer failed a while ago", now - freshMs, now - retryAfterMs, "fetch"],
  ["too old keys, the issuer failed just now", now - staleMs, now - 1, "unavailable"],
  ["too old keys, the issuer failed a while ago", now - staleMs, now - retryAfterMs, "fetch"],
  ["no keys, the issuer failed just now", null, now - 1, "unavailable"],
  ["no keys, the issuer failed a while ago", null, now - retryAfterMs, "fetch"],
])("the next step is chosen for %s", (_, fetchedAt, failedAt, step) => {
  expect(nextKeyStep({ fetchedAt, failedAt }, now)).toBe(step);
});

test.each([
  [now - unknownKeyRetryMs, null, true],
  [now - unknownKeyRetryMs + 1, null, false],
  [now - freshMs, now - 1, false],
  [now - freshMs, now - unknownKeyRetryMs, true],
])("unknown key, keys fetched at %d, failed at %d: fetch again is %s", (fetchedAt, failedAt, fetches) => {
  expect(mayFetchForUnknownKey({ fetchedAt, failedAt }, now)).toBe(fetches);
});
