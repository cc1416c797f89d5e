import { type Infer, v } from "convex/values";
import { changesText } from "../../../app/audit/changes.ts";
import { viewParts } from "../../../app/devices/views.ts";
import { visibleText } from "../../../app/format/visible.ts";
import { limits } from "../../../app/jobs/limits.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { boundedText, owned, refuse } from "../refuse.ts";
import { viewSettings } from "../validators/fleet.ts";

const maxOwn = 50;
const maxShared = 100;
const maxPartChars = 200;

type View = Doc<"deviceViews">;

/** The member who looks or changes, and how far their rights go. */
export type Viewer = {
  readonly member: Doc<"members">;
  /** Whether they see all devices, and so the shared views. */
  readonly seesAll: boolean;
  /** Whether they may share views, and change shared ones. */
  readonly mayShare: boolean;
};

export const viewRow = v.object({
  viewId: v.id("deviceViews"),
  name: v.string(),
  view: viewSettings,
  shared: v.boolean(),
  /** The name of the member who saved it. */
  by: v.string(),
  isOwn: v.boolean(),
  mayChange: v.boolean(),
});

/** The member's own views and the shared ones, by name. */
export async function viewsFor(ctx: QueryCtx, viewer: Viewer): Promise<Infer<typeof viewRow>[]> {
  const { member } = viewer;
  const views = await seenViews(ctx, viewer);
  const authors = new Map<Id<"members">, string>([[member._id, member.name]]);
  for (const { memberId } of views) {
    if (!authors.has(memberId)) authors.set(memberId, (await ctx.db.get("members", memberId))?.name ?? "");
  }
  return views
    .map((row) => ({
      viewId: row._id,
      name: row.name,
      view: row.view,
      shared: row.shared,
      by: visibleText(authors.get(row.memberId) ?? ""),
      isOwn: row.memberId === member._id,
      mayChange: mayChange(viewer, row),
    }))
    .sort((a, b) => a.name.localeCompare(b.name, "en"));
}

/** Reads at most 150 rows. */
async function seenViews(ctx: QueryCtx, { member, seesAll }: Viewer): Promise<View[]> {
  const own = await ownViews(ctx, member._id);
  if (!seesAll) return own;
  const shared = await sharedViews(ctx, member.organizationId);
  return [...own.filter((row) => !row.shared), ...shared];
}

async function ownViews(ctx: QueryCtx, memberId: Id<"members">): Promise<View[]> {
  return await ctx.db
    .query("deviceViews")
    .withIndex("by_member", (q) => q.eq("memberId", memberId))
    .take(maxOwn);
}

async function sharedViews(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<View[]> {
  return await ctx.db
    .query("deviceViews")
    .withIndex("by_shared", (q) => q.eq("organizationId", organizationId).eq("shared", true))
    .take(maxShared);
}

function mayChange({ member, mayShare }: Viewer, { memberId, shared }: View): boolean {
  return shared ? mayShare : memberId === member._id;
}

type Wanted = {
  readonly name: string;
  readonly view: Infer<typeof viewSettings>;
  readonly shared: boolean;
};

/** Saves a new view. Refuses: invalid, conflict (the name is taken, or there are too many), forbidden (to share it). */
export async function saveView(
  ctx: MutationCtx,
  viewer: Viewer,
  { name: given, view: settings, shared }: Wanted,
  by: Act,
): Promise<Id<"deviceViews">> {
  const { _id: memberId, organizationId } = viewer.member;
  const name = viewName(given);
  const view = checkedView(settings);
  if (shared) await checkSharing(ctx, viewer);
  if ((await ownViews(ctx, memberId)).length >= maxOwn)
    refuse("conflict", `You can save at most ${String(maxOwn)} views. Delete one first.`);
  await checkFreeName(ctx, viewer, name, null);
  const row = { organizationId, memberId, name, view, shared, createdAt: by.at };
  const subject = await ctx.db.insert("deviceViews", row);
  if (shared)
    await record(ctx, { organizationId, ...by, action: "device-view.shared", subject, detail: name });
  return subject;
}

/**
 * Renames or overwrites a view, shares it, or ends that. Returns the view before. Refuses: not_found, invalid, conflict,
 * forbidden.
 */
export async function changeView(
  ctx: MutationCtx,
  viewer: Viewer,
  viewId: Id<"deviceViews">,
  change: Partial<Wanted>,
  by: Act,
): Promise<Wanted> {
  const row = await changeableView(ctx, viewer, viewId);
  const { organizationId, name, view, shared } = row;
  const after: Wanted = {
    name: change.name === undefined ? name : viewName(change.name),
    view: change.view === undefined ? view : checkedView(change.view),
    shared: change.shared ?? shared,
  };
  if (after.name !== name) await checkFreeName(ctx, viewer, after.name, viewId);
  if (after.shared && !shared) await checkSharing(ctx, viewer);
  // It would become a private view of somebody else, which nobody here could bring back.
  if (shared && !after.shared && row.memberId !== viewer.member._id)
    refuse("forbidden", "Only the member who saved a view can end its sharing. You can delete it.");
  await ctx.db.patch("deviceViews", viewId, after);
  if (shared || after.shared) {
    const action =
      shared === after.shared
        ? "device-view.changed"
        : after.shared
          ? "device-view.shared"
          : "device-view.unshared";
    const changed = changesText([
      ["name", name, after.name],
      ["view", viewText(view), viewText(after.view)],
    ]);
    const detail = changed === "" ? after.name : changed;
    await record(ctx, { organizationId, ...by, action, subject: viewId, detail });
  }
  return { name, view, shared };
}

/** Deletes a view. Returns it, so that it can be saved again. Refuses: not_found, forbidden. */
export async function removeView(
  ctx: MutationCtx,
  viewer: Viewer,
  viewId: Id<"deviceViews">,
  by: Act,
): Promise<Wanted> {
  const { organizationId, name, view, shared } = await changeableView(ctx, viewer, viewId);
  await ctx.db.delete("deviceViews", viewId);
  if (shared) {
    const entry = { organizationId, action: "device-view.unshared", subject: viewId, detail: name } as const;
    await record(ctx, { ...by, ...entry });
  }
  return { name, view, shared };
}

/** Deletes the views of a member who leaves. Shared ones stay. */
export async function forgetViewsOf(ctx: MutationCtx, memberId: Id<"members">): Promise<void> {
  const views = await ownViews(ctx, memberId);
  for (const { _id, shared } of views) if (!shared) await ctx.db.delete("deviceViews", _id);
}

/** A view that the member sees and may change. A private view of somebody else is as good as missing. */
async function changeableView(ctx: QueryCtx, viewer: Viewer, viewId: Id<"deviceViews">): Promise<View> {
  const { member, seesAll } = viewer;
  const row = owned(await ctx.db.get("deviceViews", viewId), member.organizationId, "view");
  if (row.memberId !== member._id && !(row.shared && seesAll)) refuse("not_found", "There is no such view.");
  if (!mayChange(viewer, row))
    refuse("forbidden", "Only those who may change devices can change a shared view.");
  return row;
}

async function checkSharing(ctx: QueryCtx, { member, mayShare }: Viewer): Promise<void> {
  if (!mayShare) refuse("forbidden", "Only those who may change devices can share a view.");
  if ((await sharedViews(ctx, member.organizationId)).length >= maxShared)
    refuse("conflict", `An organization can share at most ${String(maxShared)} views.`);
}

async function checkFreeName(
  ctx: QueryCtx,
  viewer: Viewer,
  name: string,
  except: Id<"deviceViews"> | null,
): Promise<void> {
  const taken = (await seenViews(ctx, viewer)).some((row) => row.name === name && row._id !== except);
  if (taken) refuse("conflict", `There is a view with the name "${name}" already.`);
}

function viewName(given: string): string {
  return boundedText(given, "The name of a view", limits.nameChars);
}

/** Empty parts are left out. Refuses: invalid. */
function checkedView(view: Infer<typeof viewSettings>): Infer<typeof viewSettings> {
  return Object.fromEntries(
    viewParts.flatMap((part) => {
      const text = view[part]?.trim() ?? "";
      return text === "" ? [] : [[part, boundedText(text, "A part of a view", maxPartChars)]];
    }),
  );
}

function viewText(view: Infer<typeof viewSettings>): string {
  return viewParts.flatMap((part) => (view[part] === undefined ? [] : [`${part}=${view[part]}`])).join(" ");
}
