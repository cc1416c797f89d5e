import { describe, expect, it } from "vitest";
import { describeStatus } from "./describe-status.ts";

const now = new Date(2026, 10, 21, 14, 0).getTime();
const quiet = { pause: null, donateNowUntil: null, recheckAt: null } as const;

describe("describeStatus", () => {
  it("says when it is looked at again", () => {
    const words = describeStatus(
      { ...quiet, activity: { kind: "holding", reason: "in-use", since: now }, recheckAt: now + 45_000 },
      now,
    );
    expect(words).toMatchObject({
      tone: "hold",
      title: "You are using it",
      next: "Looked at again in 45 s.",
    });
  });

  it("says that a change is awaited where no moment is known", () => {
    const words = describeStatus(
      { ...quiet, activity: { kind: "holding", reason: "offline", since: now } },
      now,
    );
    expect(words).toMatchObject({ tone: "bad", next: "Looked at again as soon as something changes." });
  });

  it("says until when a pause lasts", () => {
    const activity = { kind: "holding", reason: "paused-by-you", since: now } as const;
    const until = new Date(2026, 10, 22, 8, 0).getTime();
    expect(describeStatus({ ...quiet, activity, pause: { until } }, now).next).toBe("Until tomorrow 08:00.");
    expect(describeStatus({ ...quiet, activity, pause: { until: null } }, now).next).toBe(
      "Until you resume.",
    );
  });

  it("says until when it donates on demand, and nothing while simply donating", () => {
    const onDemand = { kind: "donating", reason: "donate-now", since: now } as const;
    expect(
      describeStatus({ ...quiet, activity: onDemand, donateNowUntil: now + 3_600_000 }, now),
    ).toMatchObject({
      tone: "good",
      next: "Until 15:00.",
    });
    const idle = { kind: "donating", reason: "idle", since: now } as const;
    expect(describeStatus({ ...quiet, activity: idle }, now).next).toBeNull();
  });
});
