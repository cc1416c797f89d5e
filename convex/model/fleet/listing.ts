import { concernsOf } from "../../../app/devices/attention.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { queue } from "../queue.ts";
import { countedOf, countIfSmall } from "./counts.ts";
import { noteState } from "./journal.ts";
import { deviceStateOf } from "./state.ts";

/** Lists filter by no more models of one device. */
const maxModels = 40;

type Facts = Pick<Doc<"deviceListings">, "state" | "platform" | "version" | "groups" | "models" | "online">;

/**
 * Brings a device's row in the list up to date. Everything that changes a listed fact calls this in its transaction. It
 * writes only if a fact differs, and no other device's row is read, so the devices of a large fleet do not contend.
 */
export async function relist(ctx: MutationCtx, deviceId: Id<"devices">): Promise<void> {
  const device = await ctx.db.get("devices", deviceId);
  if (device === null) return;
  const { organizationId, workerId, owner, enrolledAt } = device;
  const [found, worker] = await Promise.all([
    listingOf(ctx, deviceId),
    queue.workers.get(ctx, organizationId, workerId),
  ]);
  const facts: Facts = {
    state: deviceStateOf(device, worker?.online ?? false),
    platform: device.platform.split(/[ -]/)[0] ?? "",
    version: worker?.version ?? "",
    groups: device.groups ?? [],
    models: (worker?.capabilities?.models ?? []).slice(0, maxModels),
    online: worker?.online ?? false,
  };
  const hasDonated = found?.hasDonated === true || facts.state === "donating";
  const { concerns, recheckAt } = concernsOf(
    {
      inService: device.status === "active",
      online: worker?.online ?? false,
      failing: device.pause !== undefined,
      outdated: device.needsVersion !== undefined,
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
    ...(owner === undefined ? {} : { owner }),
    name: device.name,
    sortName: sortNameOf(device.name),
    ...facts,
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
