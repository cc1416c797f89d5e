import { assertNever } from "../../app/assert-never.ts";
import type { Effect } from "../../app/policy/decision.ts";
import type { Log } from "../log.ts";
import type { DonatedWork } from "./work/donated-work.ts";

type EffectDeps = {
  readonly work: Pick<DonatedWork, "accept" | "limit" | "finish" | "yield">;
  /** The time for which a model may stay in memory after a yield. */
  readonly modelWarmSeconds: number;
  /** Called when the last job has ended and no other follows. */
  readonly onFinished: () => void;
  /** The processor is free of work that had to stop. `tookMs`: since the effect. */
  readonly onStopped?: (tookMs: number) => void;
  readonly log: Log;
};

/** Applies an effect of the policy to the donor's work. */
export function performEffect(effect: Effect, deps: EffectDeps): void {
  const { work, modelWarmSeconds, onFinished, onStopped, log } = deps;
  switch (effect.kind) {
    case "accept":
      work.accept(effect.limits);
      return;
    case "limit":
      work.limit(effect.limits);
      return;
    case "finish":
      void work.finish().then(onFinished);
      return;
    case "yield": {
      const startedAt = performance.now();
      const tookMs = (): number => Math.round(performance.now() - startedAt);
      void work
        .yield(effect.reason, modelWarmSeconds, () => onStopped?.(tookMs()))
        .then(() => {
          log("info", "donor.yielded", { reason: effect.reason, tookMs: tookMs() });
        });
      return;
    }
    default:
      return assertNever(effect);
  }
}
