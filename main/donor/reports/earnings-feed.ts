import type { Unsubscribe } from "@gleaner/queue/worker";
import { startOfDay } from "../../../app/format/time.ts";
import type { SnapshotStore } from "../../face/snapshot-store.ts";
import type { Organization } from "../organization/organization.ts";

/** The number of recent jobs in the panel. */
const historyRows = 50;

/** Keeps the snapshot's earnings and history up to date. */
export class EarningsFeed {
  readonly #organization: Pick<Organization, "onEarnings" | "onHistory">;
  readonly #snapshot: SnapshotStore;
  #enrolled = false;
  #since: number | null = null;
  #earnings: Unsubscribe | null = null;
  #history: Unsubscribe | null = null;

  constructor(organization: Pick<Organization, "onEarnings" | "onHistory">, snapshot: SnapshotStore) {
    this.#organization = organization;
    this.#snapshot = snapshot;
  }

  enrolled(): void {
    this.#enrolled = true;
    this.#history ??= this.#organization.onHistory(historyRows, (rows) =>
      this.#snapshot.update({ history: rows.map((row) => ({ ...row })) }),
    );
    this.follow(Date.now());
  }

  /** Subscribes to the day's earnings. Queries have no clock, so the day's start is an argument. */
  follow(now: number): void {
    const since = startOfDay(now);
    if (!this.#enrolled || since === this.#since) return;
    this.#since = since;
    const before = this.#earnings;
    this.#earnings = this.#organization.onEarnings(since, ({ balanceMicro, todayMicro, ...jobs }) =>
      this.#snapshot.update({
        earnings: { balanceMicro: String(balanceMicro), todayMicro: String(todayMicro), ...jobs },
      }),
    );
    before?.();
  }

  stop(): void {
    this.#earnings?.();
    this.#history?.();
    this.#enrolled = false;
  }
}
