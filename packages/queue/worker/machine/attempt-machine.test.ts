import { describe, expect, it } from "vitest";
import {
  type AttemptEvent,
  type AttemptState,
  isUnderWay,
  takesRoom,
  transition,
} from "./attempt-machine.ts";

const result = { digest: "x" };
const error = { code: "handler_error", message: "m", retryable: true } as const;

const states: { readonly [Kind in AttemptState["kind"]]: AttemptState } = {
  waiting: { kind: "waiting" },
  running: { kind: "running" },
  stopping: { kind: "stopping", reason: "in-use" },
  dropping: { kind: "dropping" },
  completing: { kind: "completing" },
  failing: { kind: "failing" },
  releasing: { kind: "releasing" },
  ended: { kind: "ended" },
};
const events: { readonly [Kind in AttemptEvent["kind"]]: AttemptEvent } = {
  begin: { kind: "begin" },
  done: { kind: "done", result },
  failed: { kind: "failed", error },
  stopped: { kind: "stopped" },
  yield: { kind: "yield", reason: "on-battery" },
  gone: { kind: "gone" },
  answered: { kind: "answered" },
};

/** Every edge: state → event → "next effect". An event without an entry changes nothing. */
const edges: { readonly [Kind in AttemptState["kind"]]: { readonly [E in AttemptEvent["kind"]]?: string } } =
  {
    waiting: { begin: "running run", yield: "releasing release", gone: "ended" },
    running: {
      done: "completing complete",
      failed: "failing fail",
      stopped: "releasing release",
      yield: "stopping abort",
      gone: "dropping abort",
    },
    stopping: {
      done: "completing complete",
      failed: "failing fail",
      stopped: "releasing release",
      gone: "dropping",
    },
    dropping: { done: "ended", failed: "ended", stopped: "ended" },
    completing: { answered: "ended" },
    failing: { answered: "ended" },
    releasing: { answered: "ended" },
    ended: {},
  };

describe("attempts", () => {
  for (const from of Object.keys(states) as AttemptState["kind"][]) {
    for (const event of Object.keys(events) as AttemptEvent["kind"][]) {
      const expected = edges[from][event] ?? from;
      it(`a held attempt ${from} + ${event} → ${expected}`, () => {
        const { next, effect } = transition(states[from], events[event]);
        expect([next.kind, effect?.kind].filter(Boolean).join(" ")).toBe(expected);
      });
    }
  }

  it("a held attempt passes on the result, the error and the reason", () => {
    expect(transition(states.running, events.done).effect).toEqual({ kind: "complete", result });
    expect(transition(states.stopping, events.failed).effect).toEqual({ kind: "fail", error });
    expect(transition(states.stopping, events.stopped).effect).toEqual({ kind: "release", reason: "in-use" });
    expect(transition(states.waiting, events.yield).effect).toEqual({
      kind: "release",
      reason: "on-battery",
    });
  });

  it("a held attempt takes capacity until its handler has ended, but not during its last call", () => {
    const all = Object.values(states);
    expect(all.filter(takesRoom).map(({ kind }) => kind)).toEqual([
      "waiting",
      "running",
      "stopping",
      "dropping",
    ]);
    expect(all.filter(isUnderWay).map(({ kind }) => kind)).toEqual(["running", "stopping", "dropping"]);
  });
});
