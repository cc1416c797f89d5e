import { allowanceName } from "../../../app/credits/key-moves.ts";
import type { StatusWords } from "../../ui/status-words.ts";
import type { CreditMoveRow, PayoutRow } from "../data/rows.ts";

/** A change of a member's credits in words. */
export function moveWords({ kind, other, period }: Pick<CreditMoveRow, "kind" | "other" | "period">): string {
  switch (kind) {
    case "to-key":
      return `Budget of the key ${other ?? ""}`;
    case "given":
      return `Given to ${other ?? ""}`;
    case "received":
      return `Received from ${other ?? ""}`;
    case "payout-asked":
      return "Payout asked for";
    case "payout-returned":
      return "Payout not made";
    case "expired":
      return "Expired";
    case "granted":
      return `Given by the administrator ${other ?? ""}`;
    case "taken-back":
      return `Taken back by the administrator ${other ?? ""}`;
    case "allowance":
      return period === undefined
        ? `Allowance, set by ${other ?? ""}`
        : `${allowanceName(period)}, set by ${other ?? ""}`;
  }
}

export const payoutStates: Readonly<Record<PayoutRow["state"], StatusWords>> = {
  asked: { tone: "hold", words: "Waits for a decision" },
  approved: { tone: "good", words: "Approved" },
  refused: { tone: "bad", words: "Refused" },
  withdrawn: { tone: "rest", words: "Withdrawn" },
};
