import { type Infer, v } from "convex/values";
import {
  type Attention,
  attentionOf,
  type DeviceConcern,
  deviceConcerns,
  graceMs,
} from "../../../app/devices/attention.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { weekOf } from "../comfort/count.ts";
import { fleetCountsOf } from "../fleet/counts.ts";
import { countExpiring } from "../keys/keyEnds.ts";
import { allModels } from "../models/catalog.ts";
import { queue } from "../queue.ts";
import { countOpenDisputes } from "../ratings/disputes.ts";
import { countWrongInService } from "../trust/wrongInService.ts";
import { attentionItem } from "../validators/alerts.ts";
import { webhooksOf } from "../webhooks/endpoints.ts";

/** Never more than this are told at once. */
const maxItems = 60;

type Item = Infer<typeof attentionItem>;

/**
 * Notes all that needs attention in an organization, once a minute. It reads counts that are kept up to date, and no device.
 * Each beginning and each end is told once.
 */
export async function watchAttention(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  now: number,
): Promise<void> {
  const [row, found] = await Promise.all([rowOf(ctx, organizationId), currentOf(ctx, organizationId, now)]);
  const before = row?.items ?? [];
  const items = found.slice(0, maxItems).map((item): Item => {
    const known = before.find(({ kind, subject }) => kind === item.kind && subject === item.subject);
    const since = known?.since ?? now;
    return { ...item, since, told: now - since >= graceMs[item.kind] };
  });
  const began = items.filter((item) => item.told && matching(before, item)?.told !== true);
  const ended = before.filter((item) => item.told && matching(items, item) === undefined);
  if (JSON.stringify(items) !== JSON.stringify(before)) {
    if (row === null) await ctx.db.insert("attention", { organizationId, items });
    else await ctx.db.patch("attention", row._id, { items });
  }
  if (began.length + ended.length > 0)
    await ctx.scheduler.runAfter(0, internal.alerts.tell, { organizationId, began, ended, at: now });
}

const matching = (items: readonly Item[], { kind, subject }: Item): Item | undefined =>
  items.find((item) => item.kind === kind && item.subject === subject);

async function currentOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  now: number,
): Promise<readonly Attention[]> {
  const [{ states, facets }, models, stats, expiringKeys, webhooks, comfort, openDisputes, wrongInService] =
    await Promise.all([
      fleetCountsOf(ctx, organizationId),
      allModels(ctx, organizationId),
      queue.stats(ctx, organizationId),
      countExpiring(ctx, organizationId, now),
      webhooksOf(ctx, organizationId),
      weekOf(ctx, organizationId, now),
      countOpenDisputes(ctx, organizationId),
      countWrongInService(ctx, organizationId, now),
    ]);
  const named = (of: string) => facets.filter((facet) => facet.of === of);
  const concerns: Partial<Record<DeviceConcern, number>> = {};
  for (const { name, devices: number } of named("concern")) {
    const concern = deviceConcerns.find((known) => known === name);
    if (concern !== undefined) concerns[concern] = number;
  }
  const { retired, pending } = states;
  const devices = Object.values(states).reduce((sum, number) => sum + number, 0) - retired - pending;
  return attentionOf({
    devices,
    donating: states.donating,
    ready: stats.ready,
    modelIds: models.filter(({ enabled }) => enabled).map(({ modelId }) => modelId),
    served: named("model").map(({ name }) => name),
    expiringKeys,
    concerns,
    disabledWebhooks: webhooks.filter(({ disabled }) => disabled !== undefined && disabled.why !== "member")
      .length,
    comfort,
    openDisputes,
    wrongInService,
  });
}

export const attentionView = v.array(attentionItem);

/** All that needs attention, as it was a minute ago at most. One row is read. */
export async function attentionOfOrganization(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Item[]> {
  return ((await rowOf(ctx, organizationId))?.items ?? []).filter(({ told }) => told);
}

async function rowOf(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<Doc<"attention"> | null> {
  return await ctx.db
    .query("attention")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .unique();
}
