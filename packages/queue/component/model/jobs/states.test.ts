import { describe, expect, it } from "vitest";
import { isFinal, type JobEvent, type JobStatus, pairTransition, transition } from "./states.ts";

const statuses: readonly JobStatus[] = [
  "waiting",
  "ready",
  "prefetched",
  "running",
  "succeeded",
  "failed",
  "canceled",
  "expired",
];

const events: Readonly<Record<string, JobEvent>> = {
  wake: { kind: "wake" },
  claim: { kind: "claim", begun: true },
  prefetch: { kind: "claim", begun: false },
  start: { kind: "start" },
  complete: { kind: "complete" },
  fail: { kind: "fail", final: false, delayed: false },
  "fail, later": { kind: "fail", final: false, delayed: true },
  "fail for good": { kind: "fail", final: true, delayed: false },
  release: { kind: "release" },
  steal: { kind: "steal", begun: true },
  "steal, later": { kind: "steal", begun: false },
  double: { kind: "double" },
  markLost: { kind: "markLost", final: false },
  "markLost for good": { kind: "markLost", final: true },
  cancel: { kind: "cancel" },
  expire: { kind: "expire" },
  retry: { kind: "retry", waits: false },
  "retry, later": { kind: "retry", waits: true },
};

/** Every legal edge, as "from event → job, attempt". All others are illegal. */
const edges = `
waiting wake → ready
waiting cancel → canceled
waiting expire → expired
ready claim → running
ready prefetch → prefetched
ready cancel → canceled
ready expire → expired
prefetched start → running, running
prefetched steal → running, stolen
prefetched steal, later → prefetched, stolen
prefetched complete → succeeded, succeeded
prefetched fail → ready, failed
prefetched fail, later → waiting, failed
prefetched fail for good → failed, failed
prefetched release → ready, released
prefetched markLost → ready, lost
prefetched markLost for good → failed, lost
prefetched cancel → canceled, canceled
prefetched expire → expired, expired
running double → running
running complete → succeeded, succeeded
running fail → ready, failed
running fail, later → waiting, failed
running fail for good → failed, failed
running release → ready, released
running markLost → ready, lost
running markLost for good → failed, lost
running cancel → canceled, canceled
running expire → expired, expired
failed retry → ready
failed retry, later → waiting
expired retry → ready
expired retry, later → waiting
`
  .trim()
  .split("\n");

/** Every legal edge of a job with two attempts, as "other event → job, attempt, other". `-`: the other one goes on. */
const pairEdges = `
prefetched start → running, running, -
prefetched complete → succeeded, succeeded, outrun
prefetched fail → prefetched, failed, -
prefetched fail, later → prefetched, failed, -
prefetched fail for good → failed, failed, outrun
prefetched release → prefetched, released, -
prefetched markLost → prefetched, lost, -
prefetched cancel → canceled, canceled, canceled
prefetched expire → expired, expired, expired
running start → running, running, -
running complete → succeeded, succeeded, outrun
running fail → running, failed, -
running fail, later → running, failed, -
running fail for good → failed, failed, outrun
running release → running, released, -
running markLost → running, lost, -
running cancel → canceled, canceled, canceled
running expire → expired, expired, expired
`
  .trim()
  .split("\n");

describe("pairTransition", () => {
  it("the state machine of a job with two attempts has exactly these edges", () => {
    const found = (["prefetched", "running"] as const).flatMap((other) =>
      Object.entries(events).flatMap(([name, event]) => {
        const next = pairTransition(event, other);
        return next === null
          ? []
          : [`${other} ${name} → ${next.job}, ${next.attempt ?? "-"}, ${next.other ?? "-"}`];
      }),
    );
    expect(found.sort()).toEqual([...pairEdges].sort());
  });
});

describe("transition", () => {
  it("the state machine has exactly these edges", () => {
    const found = statuses.flatMap((from) =>
      Object.entries(events).flatMap(([name, event]) => {
        const next = transition(from, event);
        if (next === null) return [];
        return [`${from} ${name} → ${next.job}${next.attempt === null ? "" : `, ${next.attempt}`}`];
      }),
    );
    expect(found.sort()).toEqual([...edges].sort());
  });

  it("a job leaves a final status only by a retry", () => {
    for (const from of statuses.filter(isFinal)) {
      for (const event of Object.values(events)) {
        if (event.kind !== "retry") expect(transition(from, event)).toBeNull();
      }
    }
  });
});
