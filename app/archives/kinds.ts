import { monthOf } from "../usage/months.ts";

/**
 * The kinds of archives, in the order in which they are written: a ledger's entries follow their orders, and the trail comes last, since
 * it tells of the others.
 */
export const archiveKinds = [
  "batches",
  "orders",
  "receipts",
  "ledger",
  "credits",
  "payouts",
  "audit",
] as const;

export type ArchiveKind = (typeof archiveKinds)[number];

export type Kept = {
  /** Its name on pages. */
  readonly name: string;
  /** How long rows are kept in the database, if the organization sets nothing; days. */
  readonly days: number;
  /** The shortest time that an organization may set; days. */
  readonly least: number;
  /** The reason for the shortest time. */
  readonly why: string;
};

/** How long rows of each kind are kept before they move into archives. docs/retention.md says why. */
export const keptDays: Readonly<Record<ArchiveKind, Kept>> = {
  batches: { name: "Batches", days: 400, least: 100, why: "The queue keeps its records for 90 days." },
  orders: { name: "Jobs", days: 400, least: 100, why: "The queue keeps its records for 90 days." },
  receipts: { name: "Receipts", days: 400, least: 100, why: "The queue keeps its records for 90 days." },
  ledger: {
    name: "Ledger",
    days: 400,
    least: 400,
    why: "A month is compared with the same one of the last year.",
  },
  credits: { name: "Moves of credits", days: 800, least: 800, why: "Statements go back 24 months." },
  payouts: { name: "Payouts", days: 800, least: 800, why: "Statements go back 24 months." },
  audit: { name: "Audit trail", days: 730, least: 365, why: "Most audits look at a whole year." },
};

/** The longest time that an organization may set; days. */
export const mostKeptDays = 3_660;

const dayMs = 24 * 3_600_000;

/** Rows before this moment may move into archives: it is the start of a month (UTC), so each month moves as a whole. */
export function archivedBefore(now: number, days: number): number {
  return monthOf(now - days * dayMs);
}
