import { budgetSentence } from "../../../app/mail/alert-words.ts";
import { budgetState, shareOfBudget } from "../../../app/usage/budget.ts";
import { monthOf } from "../../../app/usage/months.ts";
import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { budgetDocs, budgetName } from "../usage/budgets.ts";
import { spentThisMonth } from "../usage/months.ts";
import { tell } from "./deliver.ts";
import { budgetMessage, type Message } from "./messages.ts";

const rank = { ok: 0, near: 1, over: 2 } as const;
/** A transaction schedules a bounded number of deliveries. The next minute tells the rest. */
const mostAtOnce = 20;

/** Tells when a budget of this month (UTC) is nearly used up, and when it is used up: once each in a month. */
export async function watchBudgets(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  now: number,
): Promise<void> {
  const month = monthOf(now);
  const messages: Message[] = [];
  for (const { _id, subject, monthlyMicro, stops = false, warned } of await budgetDocs(ctx, organizationId)) {
    const spentMicro = await spentThisMonth(ctx, subject, now);
    const state = budgetState(spentMicro, monthlyMicro);
    const before = warned?.month === month ? warned.state : "ok";
    if (state === before || messages.length >= mostAtOnce) continue;
    const { kind, name } = await budgetName(ctx, subject);
    // Its key was deleted: nobody can use the rest.
    if (name === null) continue;
    await ctx.db.patch("budgets", _id, { warned: state === "ok" ? undefined : { month, state } });
    if (state === "ok" || rank[state] < rank[before]) continue;
    const share = shareOfBudget(spentMicro, monthlyMicro);
    const refuses = stops && state === "over";
    const sentence = budgetSentence({ kind, name, share, spentMicro, monthlyMicro, refuses });
    messages.push(budgetMessage(state, { subject, sentence, share }, now));
  }
  if (messages.length > 0) await tell(ctx, organizationId, messages, now);
}
