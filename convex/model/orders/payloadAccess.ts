import { classNamed, mayLookAt } from "../../../app/keys/data-classes.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { dataClassesOf } from "../keys/dataClasses.ts";
import { belongsTo, may, type MemberCtx } from "../memberCalls.ts";

/** Whether the organization lets its owners look at the requests and answers of all jobs. */
export async function ownersMayLook(ctx: QueryCtx & MemberCtx): Promise<boolean> {
  const organization = await ctx.db.get("organizations", ctx.organizationId);
  return organization?.ownersReadPayloads === true;
}

/**
 * Whether the member may look at the request and the answer of a job: the job's key is theirs, the rules of its data class allow it
 * or, without such rules, they are an owner who may.
 */
export async function mayLook(
  ctx: QueryCtx & MemberCtx,
  { apiKeyId, dataClass }: Pick<Doc<"orders">, "apiKeyId" | "dataClass">,
): Promise<boolean> {
  if (!may(ctx, "payloads.read")) return false;
  const key = await ctx.db.get("apiKeys", apiKeyId);
  if (belongsTo(ctx.member, key?.owner)) return true;
  const rules = classNamed(await dataClassesOf(ctx, ctx.organizationId), dataClass);
  if (rules !== null) return mayLookAt(rules, ctx.member.roles);
  return ctx.member.roles.includes("owner") && (await ownersMayLook(ctx));
}
