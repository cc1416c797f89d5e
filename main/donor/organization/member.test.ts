import { expect, it } from "vitest";
import { Member, membershipOf } from "./member.ts";
import { isInService, type Me } from "./organization.ts";

const enrollment = { deviceId: "d", organizationName: "o" };
const active = { status: "active", signingKey: "own" } as const;
const pending = { status: "pending", signingKey: "own" } as const;
const pausedByPerson = { status: "paused", signingKey: "own", requestedPause: { until: null } } as const;
const retired = { status: "retired", signingKey: "other" } as const;
/** Sent by a newer backend. */
const unknownStatus = { status: "quarantined" as Me["status"], signingKey: "own" } as const;
const keyless = { status: "active", signingKey: null } as const;
const otherKey = { status: "paused", signingKey: "other" } as const;

it.each([
  { name: "a device that never enrolled", enrollment: null, me: null, unknownHere: false, is: "none" },
  {
    name: "an enrolled device before the backend's first report",
    enrollment,
    me: null,
    unknownHere: false,
    is: "active",
  },
  { name: "a device in service", enrollment, me: active, unknownHere: false, is: "active" },
  {
    name: "a device that waits for approval",
    enrollment,
    me: pending,
    unknownHere: false,
    is: "pending",
  },
  { name: "a device without a registered key", enrollment, me: keyless, unknownHere: false, is: "active" },
  {
    name: "a device that signs with another key",
    enrollment,
    me: otherKey,
    unknownHere: false,
    is: "other-key",
  },
  {
    name: "a device that a person paused in the console",
    enrollment,
    me: pausedByPerson,
    unknownHere: false,
    is: "paused-on-request",
  },
  { name: "a retired device", enrollment, me: retired, unknownHere: false, is: "retired" },
  {
    name: "a device with a status that this version does not know",
    enrollment,
    me: unknownStatus,
    unknownHere: false,
    is: "outdated",
  },
  { name: "a device that the backend does not know", enrollment, me: null, unknownHere: true, is: "none" },
] as const)("gives $name the membership $is", ({ enrollment, me, unknownHere, is }) => {
  expect(membershipOf(enrollment, { me, unknownHere }, "own")).toBe(is);
});

it("says hello while it is paused or too old, so that an update ends that", () => {
  const statuses = ["active", "paused", "outdated", "pending", "retired"] as const;
  expect(statuses.filter((status) => isInService({ status }))).toEqual(["active", "paused", "outdated"]);
  expect(isInService(null)).toBe(false);
  expect(isInService(unknownStatus)).toBe(false);
});

it("gets its organization again after each enrollment, and from one subscription only", () => {
  const followed = new Set<symbol>();
  const onMe = (): (() => void) => {
    const subscription = Symbol("subscription");
    followed.add(subscription);
    return () => followed.delete(subscription);
  };
  const member = new Member({ onMe }, () => undefined);
  member.enrolled();
  const [first] = followed;
  member.enrolled();
  expect(followed.size).toBe(1);
  expect([...followed][0]).not.toBe(first);
  member.stop();
  expect(followed.size).toBe(0);
});
