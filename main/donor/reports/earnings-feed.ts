import type { Unsubscribe } from "@gleaner/queue/worker";
import type { SnapshotStore } from "../../face/snapshot-store.ts";
import type { Organization } from "../organization/organization.ts";
import { startOfDay } from "./local-day.ts";

/** As many of the last jobs as the panel shows. */
const historyRows = 50;

/** Keeps the snapshot's earnings and history as the backend has them, "today" included. */
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

  /** Follows the day: queries have no clock, so its beginning is an argument. */
  follow(now: number): void {
    const since = startOfDay(now);
    if (!this.#enrolled || since === this.#since) return;
    this.#since = since;
    const before = this.#earnings;
    this.#earnings = this.#organization.onEarnings(since, ({ balanceMicro, todayMicro, jobsSucceeded }) =>
      this.#snapshot.update({
        earnings: { balanceMicro: String(balanceMicro), todayMicro: String(todayMicro), jobsSucceeded },
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
