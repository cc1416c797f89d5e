import type { AuditAction } from "../../../app/audit.ts";
import { mistakeInWords } from "../../../app/format/mistake.ts";
import { quotable } from "../../../app/format/visible.ts";
import type { OrganizationRules } from "../../../app/policy/rule-layers.ts";
import { readOrganizationRules, ruleName, someRules } from "../../../app/policy/rule-schemas.ts";
import { ruleChanges } from "../../../app/policy/say-rule.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, actorName, record } from "../audit.ts";
import { boundedText, checkVisible, refuse } from "../refuse.ts";
import { currentPolicy, everybody, groupsWithPolicies, maxGroups, type StoredRules } from "./current.ts";

/** Versions that can be restored. */
const keptVersions = 30;
const maxGroupChars = 120;
const maxReasonChars = 300;

type Target = {
  readonly organizationId: Id<"organizations">;
  readonly group: string;
  /** The version that was edited; 0: none. It keeps us from overwriting newer changes. */
  readonly baseVersion: number;
  /** Why, in the author's words. */
  readonly reason?: string;
};

/** A draft, or an earlier version (0: no rules), as rules that could be put in force. Refuses: invalid, not_found. */
export async function checkedDraft(
  ctx: QueryCtx,
  target: Pick<Target, "organizationId" | "group">,
  draft: { readonly rules: StoredRules } | { readonly version: number },
): Promise<StoredRules> {
  return stored("rules" in draft ? checkedRules(draft.rules) : await rulesOf(ctx, target, draft.version));
}

/** Puts rules in force. Refuses: invalid (names the wrong rule), conflict (a newer version, or too many groups). */
export async function savePolicy(
  ctx: MutationCtx,
  target: Target,
  given: StoredRules,
  by: Act,
): Promise<{ version: number }> {
  return await put(ctx, target, checkedRules(given), "policy.changed", by);
}

/** Puts an earlier version in force again, as a new one. Version 0: no rules. Refuses: not_found, conflict. */
export async function restorePolicy(
  ctx: MutationCtx,
  target: Target,
  version: number,
  by: Act,
): Promise<{ version: number }> {
  return await put(ctx, target, await rulesOf(ctx, target, version), "policy.restored", by);
}

/** What `restorePolicy` would change, in words. Refuses: not_found. */
export async function restoreChanges(
  ctx: QueryCtx,
  target: Pick<Target, "organizationId" | "group">,
  version: number,
): Promise<readonly string[]> {
  const current = await currentPolicy(ctx, target.organizationId, target.group);
  const before = readOrganizationRules(current?.rules ?? { values: {}, locked: [] });
  return ruleChanges(before, await rulesOf(ctx, target, version));
}

/** The rules of a version; 0: none. Refuses: not_found. */
async function rulesOf(
  ctx: QueryCtx,
  { organizationId, group }: Pick<Target, "organizationId" | "group">,
  version: number,
): Promise<OrganizationRules> {
  if (version === 0) return { values: {}, locked: [] };
  const earlier = await ctx.db
    .query("policies")
    .withIndex("by_group", (q) =>
      q.eq("organizationId", organizationId).eq("group", group).eq("version", version),
    )
    .unique();
  if (earlier === null) refuse("not_found", "This version was deleted.");
  return readOrganizationRules(earlier.rules);
}

async function put(
  ctx: MutationCtx,
  { organizationId, group: named, baseVersion, reason: given = "" }: Target,
  rules: OrganizationRules,
  action: AuditAction,
  by: Act,
): Promise<{ version: number }> {
  const group = named === everybody ? everybody : boundedText(named, "The group", maxGroupChars);
  const reason = given.trim() === "" ? null : boundedText(given, "The reason", maxReasonChars);
  const current = await currentPolicy(ctx, organizationId, group);
  if ((current?.version ?? 0) !== baseVersion) {
    refuse("conflict", "Somebody else has changed the policy. Look at their changes, then try again.");
  }
  if (current === null && group !== everybody) await admitGroup(ctx, organizationId);
  for (const name of Object.values(rules.values).flat()) {
    if (typeof name === "string") checkVisible(name, "A name in a rule");
  }
  const before = readOrganizationRules(current?.rules ?? { values: {}, locked: [] });
  const changes = ruleChanges(before, rules);
  if (changes.length === 0) return { version: baseVersion };
  const version = baseVersion + 1;
  const row = {
    organizationId,
    group,
    version,
    at: by.at,
    actor: actorName(by.actor),
    changes,
    ...(reason === null ? {} : { reason }),
  };
  await ctx.db.insert("policies", { ...row, rules: stored(rules) });
  await dropOld(ctx, row);
  await record(ctx, {
    organizationId,
    ...by,
    action,
    subject: group === everybody ? "all devices" : `group ${group}`,
    detail: reason === null ? changes.join("; ") : `${changes.join("; ")}. Reason: ${reason}`,
  });
  return { version };
}

function checkedRules({ values, locked }: StoredRules): OrganizationRules {
  const parsed = someRules.safeParse(values, { error: mistakeInWords });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const name = quotable(issue?.path.join(".") ?? "");
    refuse("invalid", `${name === "" ? "The policy" : name}: ${issue?.message ?? "is out of bounds"}.`);
  }
  const names = ruleName.array().max(100).safeParse(locked);
  if (!names.success) refuse("invalid", "A locked rule is unknown.");
  return readOrganizationRules({ values: parsed.data, locked: names.data });
}

function stored({ values, locked }: OrganizationRules): StoredRules {
  return { values: { ...values }, locked: [...locked] };
}

async function admitGroup(ctx: MutationCtx, organizationId: Id<"organizations">): Promise<void> {
  if ((await groupsWithPolicies(ctx, organizationId)).length < maxGroups) return;
  refuse("conflict", `At most ${String(maxGroups)} groups can have rules of their own.`);
}

async function dropOld(
  ctx: MutationCtx,
  { organizationId, group, version }: Pick<Doc<"policies">, "organizationId" | "group" | "version">,
): Promise<void> {
  const old = await ctx.db
    .query("policies")
    .withIndex("by_group", (q) =>
      q
        .eq("organizationId", organizationId)
        .eq("group", group)
        .lte("version", version - keptVersions),
    )
    .take(keptVersions);
  for (const { _id } of old) await ctx.db.delete("policies", _id);
}
