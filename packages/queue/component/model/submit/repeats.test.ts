import { expect, it } from "vitest";
import type { Id } from "../builders.ts";
import { idsOf, resolveRepeats } from "./repeats.ts";

const job = (id: string, fingerprint?: string) => ({
  _id: id as Id<"jobs">,
  ...(fingerprint === undefined ? {} : { fingerprint }),
});
const fresh = { kind: "new" };
const conflict = { kind: "conflict", idempotencyKey: "k" };

it.each([
  ["no key", [{}, {}], [fresh, fresh]],
  ["a new key", [{ idempotencyKey: "n", fingerprint: "f" }], [fresh]],
  ["a key that is there", [{ idempotencyKey: "k", fingerprint: "f" }], [{ kind: "earlier", jobId: "j" }]],
  ["a key that is there, for another request", [{ idempotencyKey: "k", fingerprint: "g" }], [conflict]],
  ["a key without fingerprint", [{ idempotencyKey: "k" }], [{ kind: "earlier", jobId: "j" }]],
  [
    "a purged job's key",
    [{ idempotencyKey: "p", fingerprint: "whatever" }],
    [{ kind: "earlier", jobId: "old" }],
  ],
  [
    "one key twice",
    [{ idempotencyKey: "n", fingerprint: "f" }, {}, { idempotencyKey: "n", fingerprint: "f" }],
    [fresh, fresh, { kind: "duplicate", at: 0 }],
  ],
  [
    "one key twice, for different requests",
    [
      { idempotencyKey: "n", fingerprint: "f" },
      { idempotencyKey: "n", fingerprint: "g" },
    ],
    [fresh, { kind: "conflict", idempotencyKey: "n" }],
  ],
])("a submission is resolved with %s", (_, specs, expected) => {
  const earlier = new Map([
    ["k", job("j", "f")],
    ["p", job("old")],
  ]);
  expect(resolveRepeats(specs, earlier)).toEqual(expected);
});

it("returns ids in the order of the call", () => {
  const resolutions = resolveRepeats(
    [{ idempotencyKey: "k" }, {}, { idempotencyKey: "n" }, { idempotencyKey: "n" }],
    new Map([["k", job("j")]]),
  );
  const inserted = new Map([
    [1, "a" as Id<"jobs">],
    [2, "b" as Id<"jobs">],
  ]);
  expect(idsOf(resolutions, inserted)).toEqual(["j", "a", "b", "b"]);
});
