import { type Infer, v } from "convex/values";
import type { HistoryRow } from "../../../app/contract/snapshot.ts";
import type { Doc } from "../../_generated/dataModel.js";
import { attemptStatus } from "../validators.ts";

export const historyRow = v.object({
  attemptId: v.string(),
  modelId: v.string(),
  status: attemptStatus,
  startedAt: v.number(),
  endedAt: v.union(v.number(), v.null()),
  promptTokens: v.number(),
  completionTokens: v.number(),
  earnedMicro: v.string(),
  explanation: v.string(),
});

/** One attempt as its donor sees it, with how its pay came about. Never the prompt. */
export function historyRowOf(attempt: Doc<"attempts">): Infer<typeof historyRow> & HistoryRow {
  return {
    attemptId: attempt._id,
    modelId: attempt.modelId,
    status: attempt.status,
    startedAt: attempt.startedAt,
    endedAt: attempt.endedAt ?? null,
    promptTokens: attempt.usage?.promptTokens ?? 0,
    completionTokens: attempt.usage?.completionTokens ?? 0,
    earnedMicro: String(attempt.earnedMicro ?? 0n),
    explanation: explain(attempt),
  };
}

function explain({ status, usage, price, earnedMicro, releaseReason, error }: Doc<"attempts">): string {
  switch (status) {
    case "succeeded": {
      if (usage === undefined) return "";
      const { promptTokens, completionTokens } = usage;
      const sum =
        `${String(promptTokens)} prompt × ${String(price.promptMicro)} + ` +
        `${String(completionTokens)} answer × ${String(price.completionMicro)}`;
      const full =
        BigInt(promptTokens) * price.promptMicro + BigInt(completionTokens) * price.completionMicro;
      return earnedMicro === full ? sum : `${sum}, at most what was reserved`;
    }
    case "released":
      return releaseReason === undefined ? "given back" : `given back: ${releaseReason}`;
    case "failed":
      return error === undefined ? "failed" : `failed: ${error.message}`;
    case "lost":
      return "the connection was lost";
    case "canceled":
      return "canceled by the requester";
    case "running":
      return "";
  }
}
