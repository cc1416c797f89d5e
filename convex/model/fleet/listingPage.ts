import type { PaginationOptions, PaginationResult } from "convex/server";
import { type Infer, v } from "convex/values";
import { mergedStream, type QueryStream, stream } from "convex-helpers/server/stream";
import { literals } from "convex-helpers/validators";
import { fitsFilter, statesOf } from "../../../app/devices/filter.ts";
import { visibleText } from "../../../app/format/visible.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import schema from "../../schema.ts";
import { isOwnedBy, type Owners } from "../memberCalls.ts";
import { boundedPage, checkCursors, refuse } from "../refuse.ts";
import { type bulkFilters, deviceState, listFilters } from "../validators/fleet.ts";

type Listing = Doc<"deviceListings">;

export const listOrder = literals("name", "enrolled", "changed");

/** A search has its own order: the best match first. */
export const listArgs = { ...listFilters, order: v.optional(listOrder), descending: v.optional(v.boolean()) };

export type Filters = Infer<typeof bulkFilters>;
type Wanted = Filters & { readonly order?: Infer<typeof listOrder>; readonly descending?: boolean };

export const listedDevice = v.object({
  deviceId: v.id("devices"),
  name: v.string(),
  state: deviceState,
  platform: v.string(),
  version: v.string(),
  groups: v.array(v.string()),
  enrolledAt: v.number(),
  changedAt: v.number(),
});

const maxRows = 50;
/** A page ends after so many rows that do not fit. The next page goes on from there. */
const maxRead = 250;

/**
 * A page of an organization's devices. Only rows of the list are read, and no device or worker, so a device's change runs
 * only those pages again that show it. A filter without an index reads on through rows that do not fit: a page may be short
 * although more follow. Refuses: invalid.
 */
export async function listingPage(
  ctx: QueryCtx,
  { organizationId, owners }: { readonly organizationId: Id<"organizations">; readonly owners: Owners },
  wanted: Wanted,
  paginationOpts: PaginationOptions,
): Promise<PaginationResult<Infer<typeof listedDevice>>> {
  checkFilters(wanted);
  const page = boundedPage(paginationOpts, maxRows);
  const fits = (row: Listing): boolean => fitsFilter(row, wanted) && isOwnedBy(row, owners);
  const isSearch = (wanted.search ?? "").trim() !== "";
  if (!isSearch) checkCursors(page);
  const found = isSearch
    ? await search(ctx, organizationId, owners, wanted).paginate(page)
    : await rowsOf(ctx, organizationId, owners, wanted)
        .filterWith(async (row) => fits(row))
        .paginate({ ...page, maximumRowsRead: maxRead });
  const { isDone, continueCursor } = found;
  return { page: found.page.filter(fits).map(viewOf), isDone, continueCursor };
}

const maxText = 200;

/** Refuses (invalid) filters that are too long. */
export function checkFilters(filters: Filters): void {
  for (const filter of Object.values(filters))
    if (typeof filter === "string" && filter.length > maxText) refuse("invalid", "A filter is too long.");
}

function viewOf(row: Listing): Infer<typeof listedDevice> {
  const { deviceId, name, state, platform, version, groups, enrolledAt, changedAt } = row;
  return {
    deviceId,
    name: visibleText(name),
    state,
    platform: visibleText(platform),
    version: visibleText(version),
    groups,
    enrolledAt,
    changedAt,
  };
}

function search(ctx: QueryCtx, organizationId: Id<"organizations">, owners: Owners, wanted: Wanted) {
  const { search: text = "", state, platform, version, owner: of } = wanted;
  const only = owners?.length === 1 ? owners[0] : of;
  const states = state === undefined || state === "attention" ? [] : statesOf(state);
  return ctx.db.query("deviceListings").withSearchIndex("search_name", (q) => {
    let found = q.search("name", text).eq("organizationId", organizationId);
    if (only !== undefined) found = found.eq("owner", only);
    if (states.length === 1 && states[0] !== undefined) found = found.eq("state", states[0]);
    if (platform !== undefined) found = found.eq("platform", platform);
    if (version !== undefined) found = found.eq("version", version);
    return found;
  });
}

const fields = { name: "sortName", enrolled: "enrolledAt", changed: "changedAt" } as const;

/** The rows in their order, narrowed by owner or by state, which have indexes. */
function rowsOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  owners: Owners,
  { order = "name", descending = false, state, concern, owner: of }: Wanted,
): QueryStream<Listing> {
  const direction = descending ? "desc" : "asc";
  const rows = () => stream(ctx.db, schema).query("deviceListings");
  const narrowed = of === undefined ? owners : [of];
  const field = fields[order];
  if (narrowed !== null) {
    return merged(
      narrowed.map((one) =>
        rows()
          .withIndex(`by_owner_${order}`, (q) => q.eq("owner", one))
          .order(direction)
          .filterWith(async (row) => row.organizationId === organizationId),
      ),
      field,
    );
  }
  if (state === "attention" || concern !== undefined) {
    return rows()
      .withIndex(`by_attention_${order}`, (q) => q.eq("organizationId", organizationId).eq("attention", true))
      .order(direction);
  }
  if (state === undefined) {
    return rows()
      .withIndex(`by_${order}`, (q) => q.eq("organizationId", organizationId))
      .order(direction);
  }
  return merged(
    statesOf(state).map((one) =>
      rows()
        .withIndex(`by_state_${order}`, (q) => q.eq("organizationId", organizationId).eq("state", one))
        .order(direction),
    ),
    field,
  );
}

function merged(streams: QueryStream<Listing>[], field: string): QueryStream<Listing> {
  const [only] = streams;
  return streams.length === 1 && only !== undefined ? only : mergedStream(streams, [field]);
}
