import { expect, it } from "vitest";
import type { UpdatesView } from "../../../app/contract/updates.ts";
import { sayUpdates } from "./say-updates.ts";

const on: Extract<UpdatesView, { kind: "on" }> = {
  kind: "on",
  channel: "stable",
  lookedAt: 1,
  problem: null,
  next: null,
  byItself: true,
  rolledBack: null,
};

it("tells a program that is up to date from one that has not looked", () => {
  expect(sayUpdates(on)).toBe("This is the newest version.");
  expect(sayUpdates({ ...on, lookedAt: null })).toContain("not looked");
});

it("says when a version that is ready is installed", () => {
  const ready = { ...on, next: { version: "1.3.0", state: "ready" } } as const;
  expect(sayUpdates(ready)).toContain("when no job runs and nobody uses this computer");
  expect(sayUpdates({ ...ready, byItself: false })).toContain("when you restart it");
  expect(sayUpdates({ ...on, next: { version: "1.3.0", state: "downloading" } })).toContain(
    "is being downloaded",
  );
});

it("prefers a version that is here to a problem of the last look", () => {
  expect(sayUpdates({ ...on, problem: "unreachable" })).toContain("cannot be reached");
  expect(sayUpdates({ ...on, problem: "not-signed" })).toContain("Tell your administrator");
  const ready = { ...on, problem: "unreachable", next: { version: "1.3.0", state: "ready" } } as const;
  expect(sayUpdates(ready)).toContain("1.3.0 is ready");
});

it.each(["not-configured", "no-key", "managed", "not-installed", "rule"] as const)(
  "says why a program does not update itself: %s",
  (why) => {
    expect(sayUpdates({ kind: "off", why })).toMatch(/^[A-Z].*\.$/);
  },
);
