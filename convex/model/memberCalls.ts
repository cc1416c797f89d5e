import { v } from "convex/values";
import { customMutation, customQuery } from "convex-helpers/server/customFunctions";
import type { AuditAction } from "../../app/audit.ts";
import type { Doc, Id } from "../_generated/dataModel.js";
import { mutation, query, type QueryCtx } from "../_generated/server.js";
import { record } from "./audit.ts";
import { authenticateSession } from "./authenticate.ts";
import { owned } from "./refuse.ts";

/** The context that these functions add. */
export type AdminCtx = { readonly organizationId: Id<"organizations"> };

type OwnerCtx = QueryCtx & AdminCtx;

/** A device of the admin's organization, found by a caller's id. Refuses: not_found. */
export async function ownDevice(ctx: OwnerCtx, deviceId: Id<"devices">): Promise<Doc<"devices">> {
  return owned(await ctx.db.get("devices", deviceId), ctx.organizationId, "device");
}

/** The same for an enrollment code. */
export async function ownCode(ctx: OwnerCtx, codeId: Id<"enrolmentCodes">): Promise<Doc<"enrolmentCodes">> {
  return owned(await ctx.db.get("enrolmentCodes", codeId), ctx.organizationId, "enrollment code");
}

/** The same for an API key. */
export async function ownKey(ctx: OwnerCtx, keyId: Id<"apiKeys">): Promise<Doc<"apiKeys">> {
  return owned(await ctx.db.get("apiKeys", keyId), ctx.organizationId, "API key");
}

const args = { session: v.string() };

/** A query of a signed-in admin, with the admin's organization in its context. Refuses: unauthorized. */
export const adminQuery = customQuery(query, {
  args,
  input: async (ctx, { session }) => {
    const { organizationId } = await authenticateSession(ctx, session);
    return { ctx: { organizationId }, args: {} };
  },
});

/** A mutation of a signed-in admin. `at`: the time of the call. Refuses: unauthorized. */
export const adminMutation = customMutation(mutation, {
  args,
  input: async (ctx, { session }) => {
    const at = Date.now();
    const { organizationId } = await authenticateSession(ctx, session, at);
    const audit = async (action: AuditAction, subject: string): Promise<void> => {
      await record(ctx, { organizationId, at, actor: "admin", action, subject });
    };
    return { ctx: { organizationId, at, audit }, args: {} };
  },
});
