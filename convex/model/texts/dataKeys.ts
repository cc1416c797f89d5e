import { type Infer, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { refuse } from "../refuse.ts";
import { base64urlOf, bytesOf } from "../signatures.ts";
import { bytesOfKey, currentKey, purposeOf } from "./currentKey.ts";
import { keyBytes } from "./envelope.ts";
import { isMalformed, masterKey, nameOf, wrap } from "./masterKey.ts";

/** The random bytes of a data key, in base64url. Only for actions: the random numbers of mutations are seeded. */
export function newDataKey(): string {
  return base64urlOf(crypto.getRandomValues(new Uint8Array(keyBytes)));
}

/**
 * Whether an organization's texts are encrypted. "off": the deployment has no master key, and the organization no key. "none": the key
 * is being made. "locked": the deployment lacks the master key that encrypted the key, or has a malformed one.
 */
export const dataKeyState = v.object({
  state: literals("off", "none", "locked", "on"),
  /** The times at which the present key was made and the last one was destroyed; null if there is none. */
  createdAt: v.union(v.number(), v.null()),
  destroyedAt: v.union(v.number(), v.null()),
});

export async function stateOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Infer<typeof dataKeyState>> {
  const [key, destroyed] = await Promise.all([
    currentKey(ctx, organizationId),
    ctx.db
      .query("dataKeys")
      .withIndex("by_organization", (q) => q.eq("organizationId", organizationId).gt("destroyedAt", 0))
      .order("desc")
      .first(),
  ]);
  const { createdAt = null } = key ?? {};
  return { state: lockOf(key), createdAt, destroyedAt: destroyed?.destroyedAt ?? null };
}

function lockOf(key: Doc<"dataKeys"> | null): Infer<typeof dataKeyState>["state"] {
  if (isMalformed()) return "locked";
  if (key === null) return masterKey() === null ? "off" : "none";
  return bytesOfKey(key) === null ? "locked" : "on";
}

/** Stores a new data key if the deployment has a master key. It is made of random bytes from an action: the random numbers of mutations are seeded. */
async function store(ctx: MutationCtx, organizationId: Id<"organizations">, fresh: string): Promise<void> {
  const master = masterKey();
  // Then the organization's texts are stored as they are.
  if (master === null) return;
  const wrapped = wrap(master, bytesOf(fresh), purposeOf(organizationId));
  await ctx.db.insert("dataKeys", {
    organizationId,
    wrapped,
    wrappedBy: nameOf(master),
    createdAt: Date.now(),
  });
}

/** Stores an organization's first data key. It changes nothing if there is one. */
export async function storeFirst(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  fresh: string,
): Promise<void> {
  if ((await currentKey(ctx, organizationId)) !== null) return;
  await store(ctx, organizationId, fresh);
}

/**
 * Destroys an organization's data key, so that nobody can read its prompts, answers and files any more. If the deployment has a
 * master key, it stores a new data key for further ones. Its jobs and batches that have not ended are canceled, since nobody could
 * read their requests. Refuses: conflict (there is no key).
 */
export async function destroy(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  fresh: string,
  by: Act,
): Promise<void> {
  const key = (await currentKey(ctx, organizationId)) ?? refuse("conflict", "There is no data key.");
  await erase(ctx, key, by.at);
  await store(ctx, organizationId, fresh);
  const canceled = { organizationId, cursor: null, before: by.at };
  await ctx.scheduler.runAfter(0, internal.data.keys.cancelJobs, canceled);
  await record(ctx, { organizationId, ...by, action: "data-key.destroyed", subject: key._id });
}

/** Deletes the secret of a key. The row stays, so that a restore does not bring the secret back. */
export async function erase(ctx: MutationCtx, key: Doc<"dataKeys">, now: number): Promise<void> {
  await ctx.db.patch("dataKeys", key._id, { wrapped: undefined, destroyedAt: now });
}

/** Encrypts a data key with the present master key if an earlier one did. */
export async function rewrap(ctx: MutationCtx, key: Doc<"dataKeys">): Promise<void> {
  const master = masterKey();
  if (master === null || key.wrappedBy === nameOf(master)) return;
  const bytes = bytesOfKey(key);
  if (bytes === null) return;
  const wrapped = wrap(master, bytes, purposeOf(key.organizationId));
  await ctx.db.patch("dataKeys", key._id, { wrapped, wrappedBy: nameOf(master) });
}
