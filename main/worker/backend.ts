import type { HistoryRow } from "../../app/contract/snapshot.ts";
import type { ChatRequest, ChatResult, JobError } from "../../app/jobs/chat.ts";
import type { DonateReason, HoldReason } from "../../app/policy/reasons.ts";

/** A job that this device now holds, with the fence of its attempt. */
export type Claimed = {
  readonly attemptId: string;
  readonly jobId: string;
  readonly modelId: string;
  /** Null when it does not keep the contract's bounds: such an attempt has to be failed. */
  readonly request: ChatRequest | null;
  /** Somebody reads along: append the text as it comes. */
  readonly watched: boolean;
};

export type ClaimOutcome =
  | { readonly kind: "claimed"; readonly claimed: Claimed }
  | { readonly kind: "taken" }
  | { readonly kind: "unable" };

/** `fenced`: the attempt is no longer this device's, and what it says of it is dropped. */
export type Settled =
  | { readonly kind: "settled"; readonly earnedMicro: bigint; readonly next: Claimed | null }
  | { readonly kind: "fenced" };

export type Acknowledged = { readonly kind: "ok" } | { readonly kind: "fenced" };

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

export type Capabilities = {
  readonly threads: number;
  readonly memoryMb: number;
  readonly models: readonly string[];
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

/** Why a call or a subscription failed for good: the key is not known there (any more). */
export class UnknownDeviceError extends Error {
  override readonly name = "UnknownDeviceError";
}

export type Unsubscribe = () => void;

/** The calls about held jobs: all that an attempt needs. */
export interface AttemptBackend {
  append(attemptId: string, seq: number, text: string): Promise<Acknowledged>;
  complete(attemptId: string, result: ChatResult, wantsNext: boolean): Promise<Settled>;
  fail(attemptId: string, error: JobError): Promise<Acknowledged>;
  release(attemptId: string, reason: string): Promise<Acknowledged>;
}

/**
 * The backend as one device sees it. Calls wait while there is no connection and are sent again after a
 * cut; they reject when the backend refuses them, with UnknownDeviceError where the key is the reason.
 * Once a call has resolved, subscriptions show its effects.
 */
export interface Backend extends AttemptBackend {
  enroll(code: string, name: string, platform: string): Promise<EnrolOutcome>;
  hello(version: string, capabilities: Capabilities, startup: boolean): Promise<void>;
  heartbeat(): Promise<void>;
  report(activity: ReportedActivity): Promise<void>;
  goodbye(): Promise<void>;
  claim(jobId: string): Promise<ClaimOutcome>;
  onMe(listener: (me: Me) => void, onError: (error: Error) => void): Unsubscribe;
  onReady(listener: (jobIds: readonly string[]) => void): Unsubscribe;
  onHeld(listener: (attemptIds: readonly string[]) => void): Unsubscribe;
  onEarnings(since: number, listener: (earnings: Earnings) => void): Unsubscribe;
  onHistory(rows: number, listener: (history: readonly HistoryRow[]) => void): Unsubscribe;
  /** Called at once, then at each change. `generation` grows with every new connection. */
  onConnection(listener: (connection: Connection) => void): Unsubscribe;
  close(): Promise<void>;
}

export type Connection = { readonly connected: boolean; readonly generation: number };
