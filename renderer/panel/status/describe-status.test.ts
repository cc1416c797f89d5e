import { describe, expect, it } from "vitest";
import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";
import { known, unknown } from "../../../app/facts/facts.ts";
import { idleLimits as limits } from "../../../app/policy/limits.fixture.ts";
import type { StandbyReason } from "../../../app/policy/reasons.ts";
import { describeStatus } from "./describe-status.ts";

const now = new Date(2026, 10, 21, 14, 0).getTime();
const quiet = { pause: null, donateNowUntil: null, recheckAt: null } as const;

describe("describeStatus", () => {
  it("says in how many seconds it checks again", () => {
    const words = describeStatus(
      { ...quiet, activity: { kind: "standby", reason: "in-use", since: now }, recheckAt: now + 45_000 },
      now,
    );
    expect(words).toMatchObject({
      tone: "quiet",
      title: "You are using it",
      next: "Gleaner checks again in 45s.",
    });
  });

  it("tells working from waiting for work, and both from the normal use of the computer", () => {
    const donating = { kind: "donating", reason: "idle", limits, since: now } as const;
    const work: NonNullable<DonorSnapshot["work"]> = {
      attemptId: "a",
      kind: "chat",
      modelId: "m",
      phase: "writing",
      startedAt: now,
      writtenChars: 0,
    };
    expect(describeStatus({ ...quiet, activity: donating, work }, now)).toMatchObject({
      tone: "good",
      title: "Working on a job",
    });
    expect(describeStatus({ ...quiet, activity: donating, work: null }, now).title).toBe("Ready for a job");
    const finishing = { ...donating, reason: "finishing" } as const;
    expect(describeStatus({ ...quiet, activity: finishing, work }, now).title).toBe(
      "Finishing, then pausing",
    );
    const toneOf = (reason: StandbyReason) =>
      describeStatus({ ...quiet, activity: { kind: "standby", reason, since: now } }, now).tone;
    const normal = ["in-use", "in-call", "on-battery", "too-hot", "outside-schedule"] as const;
    expect(new Set(normal.map(toneOf))).toEqual(new Set(["quiet"]));
    const lasting = ["disk-full", "idle-unknown", "outdated"] as const;
    expect(new Set(lasting.map(toneOf))).toEqual(new Set(["hold"]));
  });

  it("waits for a change if the next check has no time", () => {
    const words = describeStatus(
      { ...quiet, activity: { kind: "standby", reason: "offline", since: now } },
      now,
    );
    expect(words).toMatchObject({ tone: "quiet", next: null });
  });

  it("promises no check to a retired device", () => {
    const activity = { kind: "standby", reason: "retired", since: now } as const;
    expect(describeStatus({ ...quiet, activity }, now)).toMatchObject({ title: "Retired", next: null });
  });

  it("says how long a pause lasts", () => {
    const activity = { kind: "standby", reason: "paused-by-you", since: now } as const;
    const until = new Date(2026, 10, 22, 8, 0).getTime();
    expect(describeStatus({ ...quiet, activity, pause: { until } }, now).next).toBe("Until tomorrow 08:00.");
    expect(describeStatus({ ...quiet, activity, pause: { until: null } }, now).next).toBe(
      "Until you resume.",
    );
  });

  it("says when its next hours begin", () => {
    const activity = { kind: "standby", reason: "outside-schedule", since: now } as const;
    const recheckAt = new Date(2026, 10, 22, 8, 0).getTime();
    expect(describeStatus({ ...quiet, activity, recheckAt }, now).next).toBe(
      "The next hours begin tomorrow 08:00.",
    );
  });

  it("says at what time it checks again if that is over an hour away", () => {
    const activity = { kind: "standby", reason: "in-use", since: now } as const;
    const next = (at: Date) => describeStatus({ ...quiet, activity, recheckAt: at.getTime() }, now).next;
    expect(next(new Date(2026, 10, 21, 18, 30))).toBe("Gleaner checks again at 18:30.");
    expect(next(new Date(2026, 10, 22, 8, 0))).toBe("Gleaner checks again tomorrow 08:00.");
  });

  it("names the version that the organization asks for", () => {
    const activity = { kind: "standby", reason: "outdated", since: now } as const;
    const organization = { name: "Acme", needsVersion: "0.3.0" };
    expect(describeStatus({ ...quiet, activity, organization }, now)).toMatchObject({
      title: "Update needed",
      sentence: "Update Gleaner to 0.3.0 or newer. Then it donates again.",
    });
  });

  it("passes on that the organization asks for an update, while it donates as before", () => {
    const activity = { kind: "donating", reason: "idle", limits, since: now } as const;
    const ask = (organization: { readonly name: string; readonly askedVersion?: string }) =>
      describeStatus({ ...quiet, activity, organization }, now).ask;
    expect(ask({ name: "Acme", askedVersion: "0.5.0" })).toBe("Acme asks you to update Gleaner to 0.5.0.");
    expect(ask({ name: "Acme" })).toBeNull();
  });

  it("names the organization whose administrator has to approve the computer", () => {
    const activity = { kind: "standby", reason: "awaiting-approval", since: now } as const;
    const organization = { name: "Acme" };
    expect(describeStatus({ ...quiet, activity, organization }, now)).toMatchObject({
      tone: "hold",
      title: "Waiting for approval",
      sentence: "Waiting for an administrator of Acme to approve this computer.",
    });
  });

  it("shows why this computer cannot join instead of asking for a code", () => {
    const activity = { kind: "standby", reason: "not-enrolled", since: now } as const;
    const problem = { kind: "wrong-server", sentence: "Compare the pin.", remedy: "restart" } as const;
    expect(describeStatus({ ...quiet, activity }, now)).toMatchObject({ tone: "quiet" });
    expect(describeStatus({ ...quiet, activity, problem }, now)).toMatchObject({
      tone: "bad",
      title: "Wrong server",
      sentence: "Compare the pin.",
      next: null,
    });
  });

  it("keeps commands apart, for administrators", () => {
    const problem: NonNullable<DonorSnapshot["problem"]> = {
      kind: "untrusted-server",
      remedy: "restart",
      sentence: "As a terminal says it.",
      said: { name: "untrusted", values: ["https://office:3210"] },
    };
    const joining = { kind: "standby", reason: "not-enrolled", since: now } as const;
    const shown = describeStatus({ ...quiet, activity: joining, problem }, now);
    expect(shown.sentence).toMatch(/^This computer cannot tell whether https:\/\/office:3210 /);
    expect(shown.sentence).not.toContain("--pin");
    expect(shown.note).toContain("--pin sha256:…");
    const retired = { kind: "standby", reason: "retired", since: now } as const;
    expect(describeStatus({ ...quiet, activity: retired }, now).note).toContain("--rejoin");
    const inUse = { kind: "standby", reason: "in-use", since: now } as const;
    expect(describeStatus({ ...quiet, activity: inUse }, now).note).toBeNull();
  });

  it("says that there is no model because the list was refused", () => {
    const activity = { kind: "standby", reason: "no-model", since: now } as const;
    const organization = { name: "Acme", problem: "The list was changed." };
    expect(describeStatus({ ...quiet, activity, organization }, now)).toMatchObject({
      tone: "bad",
      title: "Models refused",
      sentence: "The list was changed.",
    });
  });

  it("says why the server cannot be reached, and nothing twice", () => {
    const activity = { kind: "standby", reason: "offline", since: now } as const;
    const problem = { kind: "unreachable", sentence: "It is not there.", remedy: "wait" } as const;
    const { sentence } = describeStatus({ ...quiet, activity }, now);
    expect(describeStatus({ ...quiet, activity, problem }, now)).toMatchObject({
      tone: "quiet",
      title: "Offline",
      sentence: "It is not there.",
    });
    const untrusted = { ...problem, kind: "untrusted-server" } as const;
    expect(describeStatus({ ...quiet, activity, problem: untrusted }, now)).toMatchObject({
      tone: "bad",
      title: "Server not trusted",
    });
    const paused = { kind: "standby", reason: "paused-by-you", since: now } as const;
    expect(describeStatus({ ...quiet, activity: paused, problem }, now)).toMatchObject({
      title: "Paused by you",
      sentence: "You paused donating. It is not there.",
    });
    const same = { ...problem, sentence };
    expect(describeStatus({ ...quiet, activity, problem: same }, now).sentence).toBe(sentence);
  });

  it("names the excluded program that is running", () => {
    const activity = { kind: "standby", reason: "excluded-program", since: now } as const;
    const facts = { excludedProgram: known("obs64.exe") };
    expect(describeStatus({ ...quiet, activity, facts }, now).sentence).toMatch(/^obs64.exe is open/);
    const none = { excludedProgram: unknown };
    expect(describeStatus({ ...quiet, activity, facts: none }, now).sentence).toMatch(
      /^An excluded program is running/,
    );
  });

  it("says how long “donate now” lasts, and what an idle computer gives", () => {
    const onDemand = { kind: "donating", reason: "donate-now", since: now, limits } as const;
    expect(
      describeStatus({ ...quiet, activity: onDemand, donateNowUntil: now + 3_600_000 }, now),
    ).toMatchObject({
      tone: "good",
      next: "Until 15:00. Then your settings decide again.",
    });
    const idle = { kind: "donating", reason: "idle", since: now, limits } as const;
    const next = (change: Partial<typeof limits>) =>
      describeStatus({ ...quiet, activity: { ...idle, limits: { ...limits, ...change } } }, now).next;
    expect(next({})).toBe("May use all processor cores but one, the graphics card, all free memory.");
    expect(next({ threads: 1, gpu: false, memoryMb: 2_048, dutyCycle: 0.5 })).toBe(
      "May use 1 processor core, no graphics card, 2.1 GB of memory, 50% of the time.",
    );
    expect(next({ gpu: false, gpuHeldBy: "unknown" })).toBe(
      "May use all processor cores but one, no graphics card, all free memory. It is unknown whether other programs use the graphics card, so jobs do not use it.",
    );
    expect(next({ gpu: false, gpuHeldBy: "others" })).toMatch(/Other programs use the graphics card\.$/);
    expect(next({ stillSince: now - 1_000 })).toBe("Waits while you type or move the mouse.");
  });
});
