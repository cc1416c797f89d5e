import type { QueryCtx } from "../builders.ts";
import { refuse } from "./refuse.ts";
import { defaultSettings, type SettingsPatch } from "./settings.ts";

/** Scopes with settings of their own that are looked at when those of all are set. */
const mostScopes = 2_000;

/**
 * A worker that may be silent for longer than one is online would be shown as offline while it holds jobs. What is set
 * for all scopes has to go with what is set for each.
 * Refuses: invalid.
 */
export async function checkSpans(ctx: QueryCtx, scope: string, values: SettingsPatch): Promise<void> {
  const rows = await ctx.db
    .query("settings")
    .withIndex("by_scope", (q) => (scope === "" ? q : q.eq("scope", "")))
    .take(mostScopes);
  const forAll = scope === "" ? values : rows[0]?.values;
  const others = rows.filter((row) => row.scope !== "").map((row) => row.values);
  for (const own of [values, ...others]) {
    const { leaseMs, offlineAfterMs } = { ...defaultSettings, ...forAll, ...own };
    if (leaseMs > offlineAfterMs) {
      refuse(
        "invalid",
        `leaseMs (${String(leaseMs)}) must be at most offlineAfterMs (${String(offlineAfterMs)}): set both.`,
      );
    }
  }
}
