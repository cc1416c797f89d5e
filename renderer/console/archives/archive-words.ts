import type { ArchiveKind } from "../../../app/archives/kinds.ts";
import { assertNever } from "../../../app/assert-never.ts";
import type { ArchiveRow } from "../data/rows.ts";

/** The name of a kind of rows. */
export function kindWords(kind: ArchiveKind): string {
  switch (kind) {
    case "batches":
      return "Batches";
    case "orders":
      return "Jobs";
    case "receipts":
      return "Receipts";
    case "ledger":
      return "Ledger";
    case "credits":
      return "Moves of credits";
    case "payouts":
      return "Payouts";
    case "audit":
      return "Audit trail";
    default:
      return assertNever(kind);
  }
}

/** The month (UTC) of an archive, such as "2027-01". */
export function monthWords(month: number): string {
  return new Date(month).toISOString().slice(0, 7);
}

export function fileName({ kind, month, number }: Pick<ArchiveRow, "kind" | "month" | "number">): string {
  return `gleaner-${kind}-${monthWords(month)}-${String(number)}.jsonl`;
}
