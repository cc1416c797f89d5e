import { describe, expect, it } from "vitest";
import { type AttemptEvent, type AttemptState, step } from "./attempt-machine.ts";

const result = {
  text: "x",
  finishReason: "stop",
  usage: { promptTokens: 1, completionTokens: 1 },
  timing: { prefillMs: 1, generateMs: 1 },
} as const;
const error = { code: "internal_error", message: "m", retryable: true } as const;

const states: { readonly [Kind in AttemptState["kind"]]: AttemptState } = {
  running: { kind: "running" },
  stopping: { kind: "stopping", reason: "in-use" },
  dropping: { kind: "dropping" },
  completing: { kind: "completing" },
  failing: { kind: "failing" },
  releasing: { kind: "releasing" },
  ended: { kind: "ended" },
};
const events: { readonly [Kind in AttemptEvent["kind"]]: AttemptEvent } = {
  done: { kind: "done", result },
  failed: { kind: "failed", error },
  stopped: { kind: "stopped" },
  yield: { kind: "yield", reason: "on-battery" },
  gone: { kind: "gone" },
  answered: { kind: "answered" },
};

/** Every edge: state → event → "next effect"; what is not named stays, without an effect. */
const edges: { readonly [Kind in AttemptState["kind"]]: { readonly [E in AttemptEvent["kind"]]?: string } } =
  {
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

describe("a held attempt", () => {
  for (const from of Object.keys(states) as AttemptState["kind"][]) {
    for (const event of Object.keys(events) as AttemptEvent["kind"][]) {
      const expected = edges[from][event] ?? from;
      it(`${from} + ${event} → ${expected}`, () => {
        const { next, effect } = step(states[from], events[event]);
        expect([next.kind, effect?.kind].filter(Boolean).join(" ")).toBe(expected);
      });
    }
  }

  it("carries the result, the error and the reason on", () => {
    expect(step(states.running, events.done).effect).toEqual({ kind: "complete", result });
    expect(step(states.stopping, events.failed).effect).toEqual({ kind: "fail", error });
    expect(step(states.stopping, events.stopped).effect).toEqual({ kind: "release", reason: "in-use" });
  });
});
