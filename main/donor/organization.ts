import type { ConvexClient } from "convex/browser";
import type { HistoryRow } from "../../app/contract/snapshot.ts";
import type { DonateReason, HoldReason } from "../../app/policy/reasons.ts";
import { api } from "../../convex/_generated/api.js";
import { errorName, type Log } from "../log.ts";
import type { Unsubscribe } from "../worker/calls.ts";
import { refusalOf } from "../worker/refusal.ts";

export type EnrolOutcome =
  | { readonly kind: "enrolled"; readonly deviceId: string; readonly organizationName: string }
  | { readonly kind: "refused"; readonly reason: "unknown-code" | "expired" | "used-up" | "revoked" };

export type OrganizationModel = {
  readonly modelId: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly contextTokens: number;
};

export type Me = {
  readonly deviceId: string;
  readonly name: string;
  readonly organizationName: string;
  readonly status: "active" | "retired";
  readonly models: readonly OrganizationModel[];
};

export type Earnings = {
  readonly balanceMicro: bigint;
  readonly todayMicro: bigint;
  readonly jobsSucceeded: number;
};

/** What the organization is told of the donor's activity: not since when, which its backend sees itself. */
export type ReportedActivity =
  | { readonly kind: "donating"; readonly reason: DonateReason }
  | { readonly kind: "holding"; readonly reason: HoldReason };

/**
 * The organization as one device sees it, beside its work. Calls wait while there is no connection and are sent again
 * after a cut; they reject when the backend refuses them, with UnknownWorkerError where the key is the reason.
 */
export type Organization = {
  enroll(code: string, name: string, platform: string): Promise<EnrolOutcome>;
  report(activity: ReportedActivity): Promise<void>;
  onMe(listener: (me: Me) => void, onError: (error: unknown) => void): Unsubscribe;
  onEarnings(since: number, listener: (earnings: Earnings) => void): Unsubscribe;
  onHistory(rows: number, listener: (history: readonly HistoryRow[]) => void): Unsubscribe;
};

export function organizationOf(client: ConvexClient, key: string, log: Log): Organization {
  const failed =
    (query: string) =>
    (error: Error): void =>
      log("warn", "backend.query-failed", { query, error: errorName(refusalOf(error)) });
  return {
    enroll: async (code, name, platform) => {
      const outcome = await client.mutation(api.devices.enroll, { code, key, name, platform });
      if (outcome.kind === "refused") return outcome;
      return { kind: "enrolled", deviceId: outcome.deviceId, organizationName: outcome.organization };
    },
    report: async (activity) => {
      try {
        await client.mutation(api.devices.report, { key, activity });
      } catch (error) {
        throw refusalOf(error);
      }
    },
    onMe: (listener, onError) =>
      client.onUpdate(
        api.devices.me,
        { key },
        ({ organization, ...me }) => listener({ ...me, organizationName: organization.name }),
        (error) => onError(refusalOf(error)),
      ),
    onEarnings: (since, listener) =>
      client.onUpdate(api.devices.earnings, { key, since }, listener, failed("devices.earnings")),
    onHistory: (rows, listener) => {
      const paginationOpts = { numItems: rows, cursor: null };
      return client.onUpdate(
        api.devices.history,
        { key, paginationOpts },
        ({ page }) => listener(page),
        failed("devices.history"),
      );
    },
  };
}
