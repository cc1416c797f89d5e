import type { FunctionReturnType } from "convex/server";
import type { internal } from "../../convex/_generated/api.js";

export type LedgerCheck = FunctionReturnType<typeof internal.setup.auditLedger>;

/** Describes the faults of a ledger in sentences. Call it only while no job is running. */
export function ledgerFaults({ sum, byAccountKind, jobs, complete }: LedgerCheck): readonly string[] {
  const escrow = byAccountKind.escrow;
  const checks: readonly (readonly [boolean, string])[] = [
    [complete, "the ledger is too long to be checked completely"],
    [sum === 0n, `the ledger does not add up: its sum is ${sum}`],
    [escrow === 0n, `${escrow} micro-credits are still reserved, though every job has ended`],
    [jobs.settledTwice === 0, `${jobs.settledTwice} jobs were paid twice`],
    [jobs.settledEarly === 0, `${jobs.settledEarly} jobs were paid before they ended`],
    [jobs.unsettled === 0, `${jobs.unsettled} jobs that ended were not settled`],
  ];
  return checks.filter(([ok]) => !ok).map(([, fault]) => fault);
}
