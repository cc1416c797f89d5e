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
  readonly log: Log;
};

/** Applies an effect of the policy to the donor's work. */
export function performEffect(effect: Effect, { work, modelWarmSeconds, onFinished, log }: EffectDeps): void {
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
      void work.yield(effect.reason, modelWarmSeconds).then(() => {
        const tookMs = Math.round(performance.now() - startedAt);
        log("info", "donor.yielded", { reason: effect.reason, tookMs });
      });
      return;
    }
    default:
      return assertNever(effect);
  }
}
