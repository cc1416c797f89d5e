import { isGiven } from "@gleaner/queue";
import type { WorkerView } from "@gleaner/queue/validators";
import { countSides, type Side } from "../../../app/trust/sides.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { type Owner, ownerWithTeams } from "../owners.ts";
import { heldDevices } from "../people/holdings.ts";
import { currentMembers } from "../people/members.ts";
import { queue } from "../queue.ts";
import type { StoredVoice } from "./validators.ts";

/*
 * The devices that may check an answer. A verdict needs the voices of different people: app/trust/sides.ts.
 */

/** The device that answered, and those that replayed the answer already, with their owners of then. */
export type Sides = { readonly accused: Side; readonly heard: readonly Side[] };

export async function sidesOf(
  ctx: QueryCtx,
  { paidOwner }: Doc<"orders">,
  deviceId: Id<"devices">,
  voices: readonly StoredVoice[],
): Promise<Sides> {
  const owner = paidOwner === undefined ? (await ctx.db.get("devices", deviceId))?.owner : paidOwner;
  const [accused, heard] = await Promise.all([
    sideOf(ctx, deviceId, owner ?? undefined),
    Promise.all(voices.map(async (voice) => await sideOf(ctx, voice.deviceId, voice.owner))),
  ]);
  return { accused, heard };
}

/** A device with an owner. */
export async function sideOf(ctx: QueryCtx, device: Id<"devices">, owner: Owner | undefined): Promise<Side> {
  const known = await ownerWithTeams(ctx, owner);
  return known === undefined ? { device } : { device, owner: known };
}

/** The devices that are kept from a replay. The queue takes no more, and the word of any others is not heard. */
const mostKept = 200;
/** The members among whom those of a team are looked for. */
const mostMembersRead = 500;

/** The devices of an answer's sides, and all others of the same owners. */
async function devicesOfSides(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  { accused, heard }: Sides,
): Promise<readonly Doc<"devices">[]> {
  const sides = [accused, ...heard];
  const found = new Map<Id<"devices">, Doc<"devices">>();
  for (const { device } of sides) {
    const deviceId = ctx.db.normalizeId("devices", device);
    const row = deviceId === null ? null : await ctx.db.get("devices", deviceId);
    if (row !== null) found.set(row._id, row);
  }
  for (const owner of await ownersOf(ctx, organizationId, sides)) {
    if (found.size >= mostKept) break;
    for (const row of await heldDevices(ctx, owner, mostKept - found.size)) found.set(row._id, row);
  }
  return [...found.values()];
}

/** The owners of devices, the teams of members, and the members of teams. */
async function ownersOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  sides: readonly Side[],
): Promise<readonly Owner[]> {
  const owners = sides.flatMap(({ owner }) => (owner === undefined ? [] : [owner]));
  const names = new Set(owners.flatMap(({ id, teams }) => [id, ...teams]));
  const teams = owners.flatMap(({ id }) => ctx.db.normalizeId("teams", id) ?? []);
  if (teams.length > 0) {
    for (const { _id, teamIds } of await currentMembers(ctx, organizationId, mostMembersRead))
      if (teamIds.some((teamId) => teams.includes(teamId))) names.add(_id);
  }
  return [...names] as Owner[];
}

/**
 * The devices that may not replay an answer, beside which another one that is online could do so; null if none could.
 * @param voices of the devices that replayed it already.
 */
export async function devicesKeptFrom(
  ctx: QueryCtx,
  order: Doc<"orders">,
  deviceId: Id<"devices">,
  voices: readonly StoredVoice[],
): Promise<readonly Doc<"devices">[] | null> {
  const sides = await sidesOf(ctx, order, deviceId, voices);
  const kept = await devicesOfSides(ctx, order.organizationId, sides);
  return (await hasChecker(ctx, order, kept)) ? kept : null;
}

/** The devices in service whose owners are read. */
const mostCounted = 300;

/**
 * How many sides the organization's devices in service have: with one, no answer can be checked, and with two no doubt can be decided.
 * Three at most, and at least as many in an organization with more devices than are read.
 */
export async function sidesInService(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<number> {
  const devices = await ctx.db
    .query("devices")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId).eq("status", "active"))
    .take(mostCounted);
  const owners = new Map<Owner, Promise<Side["owner"]>>();
  const sides = devices.map(async ({ _id, owner }): Promise<Side> => {
    if (owner === undefined) return { device: _id };
    if (!owners.has(owner)) owners.set(owner, ownerWithTeams(ctx, owner));
    const known = await owners.get(owner);
    return known === undefined ? { device: _id } : { device: _id, owner: known };
  });
  return countSides(await Promise.all(sides));
}

/** The devices that are read, online ones first. Mostly one of the first can check. */
const pageSizes = [10, 100, 200] as const;

/**
 * Whether a device in service that is online could replay an answer, beside those that may not. It may read the text only if it could
 * have got the job. In a larger fleet than is read, there is one.
 */
async function hasChecker(
  ctx: QueryCtx,
  { organizationId, jobId, modelId }: Doc<"orders">,
  without: readonly Doc<"devices">[],
): Promise<boolean> {
  const needs = (await queue.status(ctx, organizationId, jobId))?.requirements ?? {};
  const kept = new Set<string>(without.map(({ _id }) => _id));
  const isAble = (worker: WorkerView): boolean => {
    const { status, online, externalId, capabilities } = worker;
    return (
      status === "active" &&
      online &&
      isGiven(worker, needs) &&
      externalId !== null &&
      !kept.has(externalId) &&
      capabilities?.kinds.includes("replay") === true &&
      (capabilities.models ?? []).includes(modelId)
    );
  };
  let cursor: string | null = null;
  for (const numItems of pageSizes) {
    const found: { readonly page: readonly WorkerView[]; readonly isDone: boolean; continueCursor: string } =
      await queue.workers.list(ctx, organizationId, { paginationOpts: { numItems, cursor } });
    if (found.page.some(isAble)) return true;
    if (found.isDone) return false;
    cursor = found.continueCursor;
  }
  return true;
}
