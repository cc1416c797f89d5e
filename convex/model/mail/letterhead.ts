import { visibleText } from "../../../app/format/visible.ts";
import type { Letterhead } from "../../../app/mail/mails.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { present } from "../refuse.ts";

/** How mails of an organization to a member begin, in the language in which the member read the console last. */
export async function letterheadFor(
  ctx: QueryCtx,
  { organizationId, language = "en" }: Doc<"members">,
): Promise<Letterhead> {
  const { name } = present(await ctx.db.get("organizations", organizationId), "organization");
  return { language, organization: visibleText(name) };
}
