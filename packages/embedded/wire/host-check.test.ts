import { expect, test } from "vitest";
import { hostCheck } from "./host-check.ts";

test.each(["localhost:3210", "127.0.0.1:3210", "127.0.0.1", "[::1]:3210", "LOCALHOST"])(
  "a backend on loopback answers to %s",
  (host) => {
    expect(hostCheck("127.0.0.1")(host)).toBe(true);
  },
);

test.each(["evil.example", "evil.example:3210", "localhost.evil.example", "", undefined, "127.0.0.1.nip.io"])(
  "a backend on loopback does not answer to %s",
  (host) => {
    expect(hostCheck("127.0.0.1")(host)).toBe(false);
  },
);

test("other host names are accepted if they are allowed, or if the backend is not on loopback", () => {
  expect(hostCheck("127.0.0.1", ["Gleaner.local"])("gleaner.local:443")).toBe(true);
  expect(hostCheck("0.0.0.0")("office-server:3210")).toBe(true);
});
