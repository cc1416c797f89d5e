import { v } from "convex/values";
import { customMutation, customQuery } from "convex-helpers/server/customFunctions";
import type { AuditAction } from "../../app/audit.ts";
import type { Id } from "../_generated/dataModel.js";
import { mutation, query } from "../_generated/server.js";
import { record } from "./audit.ts";
import { authenticateSession } from "./authenticate.ts";

/** The context that these functions add. */
export type AdminCtx = { readonly organizationId: Id<"organizations"> };

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
