import type { AttemptStatus, JobStatus } from "../../../app/jobs/states.ts";
import type { DonateReason, HoldReason } from "../../../app/policy/reasons.ts";

/** What the console shows of the backend's `admin` functions. Times in ms since the epoch, money in micro-credits. */
export type Me = {
  readonly organization: { readonly id: string; readonly name: string };
  readonly role: string;
  readonly expiresAt: number;
};

export type Summary = {
  readonly ready: number;
  readonly running: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly devicesOnline: number;
  readonly devicesDonating: number;
  /** The sum of all accounts; anything but zero is an error of ours. */
  readonly ledgerSum: bigint;
  readonly spentMicro: bigint;
  readonly earnedMicro: bigint;
};

export type DeviceActivity =
  | { readonly kind: "donating"; readonly reason: DonateReason }
  | { readonly kind: "holding"; readonly reason: HoldReason };

export type DeviceRow = {
  readonly deviceId: string;
  readonly name: string;
  readonly platform: string;
  readonly online: boolean;
  readonly status: "active" | "retired";
  readonly activity: DeviceActivity | null;
  readonly capabilities: {
    readonly threads: number;
    readonly memoryMb: number;
    readonly models: readonly string[];
  } | null;
  /** Attempts that it holds now. */
  readonly holding: number;
  readonly earnedMicro: bigint;
  readonly lastChangeAt: number;
};

export type AttemptRow = {
  readonly number: number;
  readonly deviceName: string;
  readonly status: AttemptStatus;
  readonly startedAt: number;
  readonly endedAt: number | null;
};

export type JobRow = {
  readonly jobId: string;
  readonly model: string;
  readonly status: JobStatus;
  readonly keyName: string;
  readonly submittedAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly attempts: readonly AttemptRow[];
  readonly usage: { readonly promptTokens: number; readonly completionTokens: number } | null;
  readonly priceMicro: bigint | null;
  readonly error: { readonly code: string; readonly message: string } | null;
};

export type KeyRow = {
  readonly keyId: string;
  readonly name: string;
  readonly prefix: string;
  readonly createdAt: number;
  readonly revokedAt: number | null;
};

export type CodeRow = {
  readonly codeId: string;
  readonly label: string;
  readonly uses: number;
  readonly used: number;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly revokedAt: number | null;
};

export type AuditRow = {
  readonly at: number;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
};
