import type { IndexRange, PaginationOptions } from "convex/server";
import { type Infer, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { type AuditGroup, auditGroupOf, auditGroups } from "../../app/audit.ts";
import type { Doc, Id } from "../_generated/dataModel.js";
import type { QueryCtx } from "../_generated/server.js";
import { actorWordsOf, subjectName, whoOf } from "./audit.ts";
import { boundedPage } from "./refuse.ts";

const optional = v.union(v.string(), v.null());

/** A row of the trail. The console shows the names, and exports have the ids, too. */
export const auditRow = v.object({
  id: v.id("audit"),
  /** ms epoch with fractions: the trail's order. */
  createdAt: v.number(),
  at: v.number(),
  /** "member", "api-key", or a word for another actor. */
  actor: v.string(),
  /** The actor's name. */
  by: v.string(),
  memberId: optional,
  keyId: optional,
  sessionId: optional,
  /** How the session began, and its browser. */
  method: optional,
  agent: optional,
  /** An IP address, or "unknown". Null: nobody called, or a row of an earlier version. */
  address: optional,
  action: v.string(),
  /** An id, the name of a model, or a word. */
  subject: v.string(),
  /** The subject's name, if it has one. */
  name: optional,
  detail: optional,
});

/** Which rows are meant: those that all given fields describe. */
export const auditFilter = {
  /** The id of a member or an API key, or a word for another actor. */
  who: v.optional(v.string()),
  /** If both are given, `action` counts. */
  group: v.optional(literals(...auditGroups)),
  action: v.optional(v.string()),
  subject: v.optional(v.string()),
  /** ms epoch; `to` is not included. */
  from: v.optional(v.number()),
  to: v.optional(v.number()),
};

export type AuditFilter = {
  readonly who?: string;
  readonly group?: AuditGroup;
  readonly action?: string;
  readonly subject?: string;
  readonly from?: number;
  readonly to?: number;
};

/** Each row may read an actor, a job and its key, so a page reads at most 280 documents. */
const maxPage = 70;

/**
 * A page of the trail, newest first. One index finds the rows. Only beside a subject the other filters are applied to what it
 * found, so such a page may have fewer rows than asked for, or none.
 */
export async function auditPage(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  filter: AuditFilter,
  paginationOpts: PaginationOptions,
) {
  const page = await rowsOf(ctx, organizationId, filter)
    .order("desc")
    .paginate(boundedPage(paginationOpts, maxPage));
  const rows = filter.subject === undefined ? page.page : page.page.filter((row) => fits(row, filter));
  return { ...page, page: await Promise.all(rows.map((row) => viewOf(ctx, organizationId, row))) };
}

/** An index whose last field, the time of creation, is still open. */
type OpenRange = {
  readonly gte: (
    field: "_creationTime",
    at: number,
  ) => {
    readonly lt: (field: "_creationTime", at: number) => IndexRange;
  };
};

function rowsOf({ db }: QueryCtx, organizationId: Id<"organizations">, filter: AuditFilter) {
  const { who, group, action, subject, from = 0, to = Number.MAX_VALUE } = filter;
  const inTime = (range: OpenRange): IndexRange => range.gte("_creationTime", from).lt("_creationTime", to);
  const table = db.query("audit");
  if (subject !== undefined)
    return table.withIndex("by_subject", (q) =>
      inTime(q.eq("organizationId", organizationId).eq("subject", subject)),
    );
  if (who !== undefined && action !== undefined)
    return table.withIndex("by_who_and_action", (q) =>
      inTime(q.eq("organizationId", organizationId).eq("who", who).eq("action", action)),
    );
  if (who !== undefined && group !== undefined)
    return table.withIndex("by_who_and_group", (q) =>
      inTime(q.eq("organizationId", organizationId).eq("who", who).eq("group", group)),
    );
  if (who !== undefined)
    return table.withIndex("by_who", (q) => inTime(q.eq("organizationId", organizationId).eq("who", who)));
  if (action !== undefined)
    return table.withIndex("by_action", (q) =>
      inTime(q.eq("organizationId", organizationId).eq("action", action)),
    );
  if (group !== undefined)
    return table.withIndex("by_group", (q) =>
      inTime(q.eq("organizationId", organizationId).eq("group", group)),
    );
  return table.withIndex("by_organization", (q) => inTime(q.eq("organizationId", organizationId)));
}

function fits(row: Doc<"audit">, { who, group, action }: AuditFilter): boolean {
  if (who !== undefined && whoOf(row) !== who) return false;
  if (action !== undefined) return row.action === action;
  return group === undefined || auditGroupOf(row.action) === group;
}

async function viewOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  row: Doc<"audit">,
): Promise<Infer<typeof auditRow>> {
  const { _id: id, _creationTime: createdAt, at, actor, memberId, keyId, action, subject } = row;
  const by = await actorWordsOf(ctx, organizationId, whoOf(row));
  const name = await subjectName(ctx, organizationId, row);
  return {
    id,
    createdAt,
    at,
    actor,
    by,
    memberId: memberId ?? null,
    keyId: keyId ?? null,
    sessionId: row.sessionId ?? null,
    method: row.method ?? null,
    agent: row.agent ?? null,
    address: row.address ?? null,
    action,
    subject,
    name,
    detail: row.detail ?? null,
  };
}
