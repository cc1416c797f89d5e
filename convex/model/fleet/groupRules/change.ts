import { changesText } from "../../../../app/audit/changes.ts";
import { ruleWords } from "../../../../app/devices/rule-words.ts";
import { isVersion } from "../../../../app/versions.ts";
import { internal } from "../../../_generated/api.js";
import type { Doc, Id } from "../../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../../_generated/server.js";
import { type Act, record } from "../../audit.ts";
import { checkedOwner, ownerView } from "../../owners.ts";
import { boundedText, owned, refuse } from "../../refuse.ts";
import { groupName, maxRules, rulesOf } from "../placement.ts";
import type { RuleDraft } from "./rows.ts";

type Rule = Doc<"groupRules">;

/** Adds a rule, as the last one or at a place of the order. Refuses: invalid, not_found (its owner), conflict. */
export async function addRule(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  { draft, at }: { readonly draft: RuleDraft; readonly at: number | undefined },
  by: Act,
): Promise<Id<"groupRules">> {
  const rules = await rulesOf(ctx, organizationId);
  if (rules.length >= maxRules)
    refuse("conflict", `An organization can have at most ${String(maxRules)} rules of groups.`);
  const checked = await checkedRule(ctx, organizationId, draft);
  const subject = await ctx.db.insert("groupRules", { organizationId, rank: rules.length, ...checked });
  if (at !== undefined) {
    const ids = rules.map(({ _id }) => _id);
    await setOrder(ctx, [...ids.slice(0, Math.max(0, at)), subject, ...ids.slice(Math.max(0, at))]);
  }
  const detail = await wordsOf(ctx, checked);
  await record(ctx, { organizationId, ...by, action: "group-rule.added", subject, detail });
  await placeAll(ctx, organizationId);
  return subject;
}

/** Changes a rule. Returns it as it was, for an undo. Refuses: invalid, not_found (its owner). */
export async function changeRule(
  ctx: MutationCtx,
  { _id: subject, organizationId, group, filter }: Rule,
  draft: RuleDraft,
  by: Act,
): Promise<RuleDraft> {
  const checked = await checkedRule(ctx, organizationId, draft);
  const before = { group, filter };
  const detail = changesText([["rule", await wordsOf(ctx, before), await wordsOf(ctx, checked)]]);
  if (detail === "") return before;
  await ctx.db.patch("groupRules", subject, checked);
  await record(ctx, { organizationId, ...by, action: "group-rule.changed", subject, detail });
  await placeAll(ctx, organizationId);
  return before;
}

/** Removes a rule. Its devices leave the group, unless another rule puts them there. Returns its place in the order. */
export async function removeRule(ctx: MutationCtx, rule: Rule, by: Act): Promise<number> {
  const { _id: subject, organizationId } = rule;
  const ids = (await rulesOf(ctx, organizationId)).map(({ _id }) => _id);
  await ctx.db.delete("groupRules", subject);
  await setOrder(
    ctx,
    ids.filter((id) => id !== subject),
  );
  const detail = await wordsOf(ctx, rule);
  await record(ctx, { organizationId, ...by, action: "group-rule.removed", subject, detail });
  await placeAll(ctx, organizationId);
  return ids.indexOf(subject);
}

/** Puts the rules into an order. Refuses: not_found (a rule of others), conflict (these are not all rules anymore). */
export async function orderRules(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  ruleIds: readonly Id<"groupRules">[],
  by: Act,
): Promise<void> {
  const rules = await rulesOf(ctx, organizationId);
  const ids = rules.map(({ _id }) => _id);
  for (const ruleId of ruleIds) owned(await ctx.db.get("groupRules", ruleId), organizationId, "rule");
  if ([...ids].sort().join() !== [...ruleIds].sort().join())
    refuse("conflict", "Somebody has changed the rules meanwhile. Try again.");
  const groupsOf = (order: readonly string[]): string[] =>
    order.map((id) => rules.find(({ _id }) => _id === id)?.group ?? "");
  if (ids.join() === ruleIds.join()) return;
  await setOrder(ctx, ruleIds);
  const detail = changesText([["order", groupsOf(ids).join(", "), groupsOf(ruleIds).join(", ")]]);
  const entry = { organizationId, action: "group-rule.moved", subject: organizationId, detail } as const;
  await record(ctx, { ...by, ...entry });
  await placeAll(ctx, organizationId);
}

async function setOrder(ctx: MutationCtx, ruleIds: readonly Id<"groupRules">[]): Promise<void> {
  for (const [rank, ruleId] of ruleIds.entries()) await ctx.db.patch("groupRules", ruleId, { rank });
}

/** Places all devices by the present rules, some at a time. */
async function placeAll(ctx: MutationCtx, organizationId: Id<"organizations">): Promise<void> {
  await ctx.scheduler.runAfter(0, internal.maintenance.placeDevices, { organizationId, cursor: null });
}

async function wordsOf(ctx: QueryCtx, { group, filter }: RuleDraft): Promise<string> {
  const owner = await ownerView(ctx, filter.owner);
  return `${group}: ${ruleWords(filter, owner?.name ?? null)}`;
}

const maxMemoryGb = 100_000;
const maxTextChars = 120;

/** A rule from outside, without empty conditions. Refuses: invalid, not_found (its owner). */
export async function checkedRule(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  { group, filter }: RuleDraft,
): Promise<RuleDraft> {
  const { memoryGb, owner, ...texts } = filter;
  const given = Object.entries(texts).filter(([, text]) => text.trim() !== "");
  const conditions = given.map(([name, text]) => [name, boundedText(text, "A condition", maxTextChars)]);
  if (texts.fromVersion !== undefined && texts.fromVersion !== "" && !isVersion(texts.fromVersion.trim()))
    refuse("invalid", 'A version is three numbers, such as "0.2.0".');
  if (memoryGb !== undefined && !(memoryGb > 0 && memoryGb <= maxMemoryGb))
    refuse("invalid", "The memory must be a number of GB.");
  const checked: RuleDraft["filter"] = {
    ...(Object.fromEntries(conditions) as typeof texts),
    ...(memoryGb === undefined ? {} : { memoryGb }),
    ...(owner === undefined ? {} : { owner: await checkedOwner(ctx, organizationId, owner) }),
  };
  if (Object.keys(checked).length === 0)
    refuse("invalid", "A rule needs at least one condition. Otherwise it would move all devices.");
  return { group: groupName(group), filter: checked };
}
