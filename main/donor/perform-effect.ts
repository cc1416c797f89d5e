import { assertNever } from "../../app/assert-never.ts";
import type { Effect } from "../../app/policy/decision.ts";
import type { Log } from "../log.ts";
import type { DonatedWork } from "./work/donated-work.ts";

export type EffectParts = {
  readonly work: Pick<DonatedWork, "accept" | "limit" | "finish" | "yield">;
  /** How long a model may stay in memory after a yield. */
  readonly modelWarmSeconds: number;
  /** The last job has ended, and no other is taken. */
  readonly onFinished: () => void;
  readonly log: Log;
};

/** Does to the donor's work what its policy decided. */
export function performEffect(
  effect: Effect,
  { work, modelWarmSeconds, onFinished, log }: EffectParts,
): void {
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
