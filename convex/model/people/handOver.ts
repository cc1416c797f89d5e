import { type Infer, v } from "convex/values";
import type { Scope } from "../../../app/people/rights.ts";
import { internal } from "../../_generated/api.js";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { type Act, laterActor, record } from "../audit.ts";
import { keepEarnings } from "../credits/wallet.ts";
import { endConfirmation, revokeCode } from "../devices/enrollmentCodes.ts";
import { retireMany } from "../devices/service.ts";
import { relist } from "../fleet/listing.ts";
import { revokeKey } from "../keys/keyEnds.ts";
import { checkedOwner, currentOwner, type Owner, ownerView } from "../owners.ts";
import { refuse } from "../refuse.ts";
import { owner as ownerId } from "../validators/people.ts";
import { heldCodes, heldDevices, heldKeys, holdingsOf } from "./holdings.ts";

/** Hands a key over to a member, a team, or the organization (undefined). The caller has checked that the owner is current. */
export async function handOverKey(
  ctx: MutationCtx,
  { _id: subject, organizationId, owner: before }: Doc<"apiKeys">,
  owner: Owner | undefined,
  by: Act,
): Promise<void> {
  if (owner === before) return;
  await ctx.db.patch("apiKeys", subject, { owner });
  const detail = await changeWords(ctx, before, owner);
  await record(ctx, { organizationId, ...by, action: "api-key.handed-over", subject, detail });
}

/** More people than that are not noted as givers of one device. */
const mostGivers = 20;

/**
 * Those who may still have a device after somebody handed it over: the owner until now, the member who did it, and the givers before. An
 * administrator has decided whose computer it is, so only the new owner is left.
 */
export function giversAfter(
  { owner, givers = [] }: Pick<Doc<"devices">, "owner" | "givers">,
  by: { readonly scope: Scope; readonly member: Pick<Doc<"members">, "_id"> },
): Owner[] {
  if (by.scope === "all") return [];
  const now = owner === undefined ? [by.member._id] : [owner, by.member._id];
  return [...new Set<Owner>([...now, ...givers])].slice(0, mostGivers);
}

/**
 * The same for a device. What it earned stays with its former owner.
 * @param givers those who may still have the computer, if that changes.
 */
export async function handOverDevice(
  ctx: MutationCtx,
  device: Doc<"devices">,
  owner: Owner | undefined,
  by: Act,
  givers: readonly Owner[] = device.givers ?? [],
): Promise<void> {
  const { _id: subject, organizationId, owner: before } = device;
  if (owner === before) return;
  await keepEarnings(ctx, device, by.at);
  await ctx.db.patch("devices", subject, { owner, givers: givers.length === 0 ? undefined : [...givers] });
  await relist(ctx, subject);
  const detail = await changeWords(ctx, before, owner);
  await record(ctx, { organizationId, ...by, action: "device.handed-over", subject, detail });
}

async function changeWords(
  ctx: MutationCtx,
  before: Owner | undefined,
  owner: Owner | undefined,
): Promise<string> {
  const [from, to] = await Promise.all([ownerView(ctx, before), ownerView(ctx, owner)]);
  return `owner: ${from?.name ?? "the organization"} → ${to?.name ?? "the organization"}`;
}

/** The answer about the things of a leaving member: a new owner gets them, or they end. */
export const leftThings = v.union(v.literal("end"), ownerId);

/** Keys, codes and devices each, so that a run stays small. */
const perBatch = 20;

/**
 * Hands over what belongs to a member who leaves, or ends it. The first things at once, the others follow soon. Refuses:
 * conflict (there is something, and no answer for it), invalid, not_found.
 */
export async function leaveThings(
  ctx: MutationCtx,
  { _id: memberId, organizationId }: Doc<"members">,
  answer: Infer<typeof leftThings> | undefined,
  by: Act,
): Promise<void> {
  const { keys, devices } = await holdingsOf(ctx, memberId);
  if (answer === undefined) {
    if (keys + devices > 0)
      refuse("conflict", "Keys or devices belong to this member. Say who gets them, or end them.");
    // Devices that join by their codes would have no owner.
    await settleThings(ctx, memberId, "end", by);
    return;
  }
  if (answer === memberId) refuse("invalid", "Hand the keys and devices over to somebody else.");
  if (answer !== "end") await checkedOwner(ctx, organizationId, answer);
  await settleThings(ctx, memberId, answer, by);
}

/** Hands over, or ends, the next things of somebody. The others follow in scheduled batches. */
export async function settleThings(
  ctx: MutationCtx,
  from: Owner,
  answer: Infer<typeof leftThings>,
  by: Act,
): Promise<void> {
  const [keys, codes, devices] = await Promise.all([
    heldKeys(ctx, from, perBatch),
    heldCodes(ctx, from, perBatch),
    heldDevices(ctx, from, perBatch),
  ]);
  // Only the computer of the member who leaves knows these codes, so nobody inherits them.
  for (const code of codes.filter(({ bySignIn }) => bySignIn === true)) await endConfirmation(ctx, code, by);
  const made = codes.filter(({ bySignIn }) => bySignIn !== true);
  if (answer === "end") {
    for (const key of keys) await revokeKey(ctx, key, by);
    for (const code of made) await revokeCode(ctx, code, by);
    await retireMany(ctx, devices, by);
  } else {
    // An heir who left since then gets nothing: the organization does.
    const heir = await currentOwner(ctx, answer);
    for (const key of keys) await handOverKey(ctx, key, heir, by);
    for (const { _id } of made) await ctx.db.patch("enrolmentCodes", _id, { owner: heir });
    for (const device of devices) await handOverDevice(ctx, device, heir, by);
  }
  if (Math.max(keys.length, codes.length, devices.length) < perBatch) return;
  await ctx.scheduler.runAfter(0, internal.maintenance.settleThings, {
    from,
    answer,
    ...(await laterActor(ctx, by)),
  });
}
