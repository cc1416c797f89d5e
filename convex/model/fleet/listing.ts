import { concernsOf } from "../../../app/devices/attention.ts";
import { reportedTags, type RuleFacts } from "../../../app/devices/filter.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { queue } from "../queue.ts";
import { countedOf, countIfSmall } from "./counts.ts";
import { noteState } from "./journal.ts";
import { placeByRules, rulesOf } from "./placement.ts";
import { deviceStateOf, rolledBackOf } from "./state.ts";

/** Lists filter by no more models of one device. */
const maxModels = 40;

/** The same of its GPUs and of its tags. */
const maxTags = 40;

type Listing = Doc<"deviceListings">;
type Facts = Pick<Listing, "state" | "platform" | "version" | "groups" | "models" | "online" | "jobMemoryMb">;

/**
 * Brings a device's row in the list up to date. Everything that changes a listed fact calls this in its transaction. It
 * writes only if a fact differs, and no other device's row is read, so the devices of a large fleet do not contend. A device whose facts changed may
 * fit another rule of a group, which places it here.
 */
export async function relist(ctx: MutationCtx, deviceId: Id<"devices">): Promise<void> {
  const device = await ctx.db.get("devices", deviceId);
  if (device === null) return;
  const { organizationId, workerId, enrolledAt } = device;
  const [found, worker] = await Promise.all([
    listingOf(ctx, deviceId),
    queue.workers.get(ctx, organizationId, workerId),
  ]);
  const stable = stableFacts(device, worker);
  const { groups = [], placedBy } =
    found === null || !isSame(stableFactsOf(found), stable)
      ? await placeByRules(ctx, device, stable, await rulesOf(ctx, organizationId))
      : device;
  const facts: Facts = {
    state: deviceStateOf(device, worker?.online ?? false),
    platform: stable.platform,
    version: stable.version,
    groups,
    models: stable.models,
    online: worker?.online ?? false,
    ...(worker?.capabilities?.memoryMb === undefined ? {} : { jobMemoryMb: worker.capabilities.memoryMb }),
  };
  const hasDonated = found?.hasDonated === true || facts.state === "donating";
  const { concerns, recheckAt } = concernsOf(
    {
      inService: device.status === "active",
      online: worker?.online ?? false,
      failing: device.pause !== undefined,
      outdated: device.needsVersion !== undefined,
      askedVersion: device.askedVersion ?? null,
      rolledBackVersion: rolledBackOf(device, worker?.version ?? null),
      reason: device.activity?.reason ?? "",
      since: Math.max(device.lastChangeAt, worker?.lastChangeAt ?? 0),
      enrolledAt,
      hasDonated,
    },
    Date.now(),
  );
  const changedAt = Math.max(device.lastChangeAt, worker?.lastChangeAt ?? 0);
  const row = {
    organizationId,
    deviceId,
    ...stable,
    sortName: sortNameOf(device.name),
    ...facts,
    ...(placedBy === undefined ? {} : { placedBy }),
    enrolledAt,
    changedAt,
    ...(found?.counted === undefined ? {} : { counted: found.counted }),
    recount: found?.counted === undefined || !isCounted(found.counted, { ...facts, concerns }),
    ...(concerns.length === 0 ? {} : { concerns, attention: true }),
    ...(hasDonated ? { hasDonated } : {}),
    ...(recheckAt === null ? {} : { recheckAt }),
  };
  const listingId = found?._id ?? (await ctx.db.insert("deviceListings", row));
  if (found !== null && isNews(found, row)) await ctx.db.replace("deviceListings", listingId, row);
  if (row.recount) await countIfSmall(ctx, organizationId, listingId);
  await noteState(ctx, device, { at: changedAt, state: facts.state, reason: reasonOf(device, facts.state) });
}

type StableFacts = Pick<Listing, keyof RuleFacts>;
type Worker = Awaited<ReturnType<typeof queue.workers.get>>;

/** The facts that rules of groups ask for. The organization's limits of a device change neither its memory nor its GPU. */
function stableFacts({ name, platform, owner }: Doc<"devices">, worker: Worker): StableFacts {
  const { memoryMb, tags: reported = [] } = worker?.reported ?? {};
  const { gpus, tags } = reportedTags(reported);
  return {
    name,
    platform: platform.split(/[ -]/)[0] ?? "",
    version: worker?.version ?? "",
    models: (worker?.capabilities?.models ?? []).slice(0, maxModels),
    ...(owner === undefined ? {} : { owner }),
    ...(memoryMb === undefined ? {} : { memoryMb }),
    ...(worker?.reported === undefined ? {} : { gpus: gpus.slice(0, maxTags) }),
    tags: [...new Set([...(worker?.labels ?? []), ...tags])].slice(0, maxTags),
  };
}

/** The same of a listed device. */
export function stableFactsOf({
  name,
  platform,
  version,
  models,
  owner,
  memoryMb,
  gpus,
  tags,
}: Listing): StableFacts {
  return {
    name,
    platform,
    version,
    models,
    ...(owner === undefined ? {} : { owner }),
    ...(memoryMb === undefined ? {} : { memoryMb }),
    ...(gpus === undefined ? {} : { gpus }),
    ...(tags === undefined ? {} : { tags }),
  };
}

/** A device's row in the list; null until it is first listed. */
export async function listingOf(
  ctx: QueryCtx,
  deviceId: Id<"devices">,
): Promise<Doc<"deviceListings"> | null> {
  return await ctx.db
    .query("deviceListings")
    .withIndex("by_device", (q) => q.eq("deviceId", deviceId))
    .unique();
}

/** Sorts "Lab 9" before "lab 10". */
export function sortNameOf(name: string): string {
  return name.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(12, "0"));
}

function reasonOf({ activity, pause }: Doc<"devices">, state: Facts["state"]): string {
  if (state === "paused") return pause === undefined ? "paused-in-console" : "paused-by-server";
  return state === "donating" || state === "standby" ? (activity?.reason ?? "") : "";
}

type Counted = NonNullable<Doc<"deviceListings">["counted"]>;

function isCounted(counted: Counted, facts: Counted): boolean {
  return isSame(counted, countedOf(facts));
}

function isNews(
  { _id, _creationTime, ...found }: Doc<"deviceListings">,
  row: Omit<Doc<"deviceListings">, "_id" | "_creationTime">,
): boolean {
  return !isSame(found, row);
}

/** Compares objects of one form, whatever the order of their fields. */
function isSame(one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): boolean {
  const canonical = (value: Readonly<Record<string, unknown>>): string =>
    JSON.stringify(
      Object.entries(value)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, field]) =>
          typeof field === "object" && field !== null && !Array.isArray(field)
            ? [name, canonical(field as Readonly<Record<string, unknown>>)]
            : [name, field],
        ),
    );
  return canonical(one) === canonical(other);
}
