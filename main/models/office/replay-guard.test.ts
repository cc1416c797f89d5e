import fc from "fast-check";
import { beforeEach, expect, it } from "vitest";
import { ReplayGuard } from "./replay-guard.ts";

const now = 1_800_000_000_000;
const sent = { id: "sender-1", address: "10.0.0.7", sentAt: now, ttl: 180 };
let guard: ReplayGuard;

beforeEach(() => {
  guard = new ReplayGuard();
});

it("takes each announcement once, and none that is older than the last", () => {
  expect(guard.check(sent, now)).toBe("new");
  expect(guard.check(sent, now + 1)).toBe("repeated");
  expect(guard.check({ ...sent, sentAt: now + 1 }, now + 1)).toBe("new");
  expect(guard.check(sent, now + 2)).toBe("repeated");
});

it.each([
  ["as old as its time to live and the clocks' difference allow", -180_000 - 300_000, "new"],
  ["a millisecond older", -180_000 - 300_001, "wrong-clock"],
  ["as far ahead as the clocks' difference allows", 300_000, "new"],
  ["a millisecond further ahead", 300_001, "wrong-clock"],
] as const)("judges an announcement that is %s", (_, ms, verdict) => {
  expect(guard.check({ ...sent, sentAt: now + ms }, now)).toBe(verdict);
});

it("does not let an earlier announcement follow a goodbye", () => {
  guard.check(sent, now);
  expect(guard.check({ ...sent, sentAt: now + 5, ttl: 0 }, now + 5)).toBe("new");
  for (let at = now + 6; at < now + 600_000; at += 10_000) {
    expect(guard.check(sent, at)).not.toBe("new");
  }
});

it("never takes an announcement twice, in whatever order and time they come", () => {
  const event = fc.record({
    id: fc.constantFrom("a", "b"),
    sent: fc.nat(2_000),
    ttl: fc.nat(600),
    wait: fc.nat(400),
  });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      const one = new ReplayGuard();
      const taken = new Set<string>();
      let clock = now;
      for (const { id, sent: at, ttl, wait } of events) {
        clock += wait * 1_000;
        const announcement = { id, address: "10.0.0.7", sentAt: now + at * 1_000, ttl };
        if (one.check(announcement, clock) !== "new") continue;
        const key = `${id} ${announcement.sentAt}`;
        expect(taken.has(key)).toBe(false);
        taken.add(key);
      }
    }),
  );
});

it("knows at most 4,000 senders, and makes room for others when they have expired", () => {
  for (let count = 0; count < 4_000; count += 1) {
    expect(guard.check({ ...sent, id: `sender-${count}` }, now)).toBe("new");
  }
  expect(guard.check(sent, now)).toBe("repeated");
  expect(guard.check({ ...sent, id: "late" }, now)).toBe("full");
  const later = now + 600_000;
  expect(guard.check({ ...sent, id: "late", sentAt: later }, later)).toBe("new");
});
