/** Reasons for which clients without a verified identity are refused. */
export const refusalReasons = ["address", "connections", "memory", "message", "queries", "slow"] as const;

export type RefusalReason = (typeof refusalReasons)[number];

/** Counts refusals by reason, for the metrics. */
export class Refusals {
  readonly #counts = new Map<RefusalReason, number>();

  count(reason: RefusalReason): void {
    this.#counts.set(reason, this.of(reason) + 1);
  }

  of(reason: RefusalReason): number {
    return this.#counts.get(reason) ?? 0;
  }
}
