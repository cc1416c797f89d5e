import { creditsNumber } from "../../../app/money/credits.ts";
import { internal } from "../../_generated/api.js";
import { endpoint } from "../endpoint.ts";
import { json } from "../respond.ts";

/** GET /v1/credits: what the API key can spend now, and its allowance. */
export const credits = endpoint(async (ctx, _request, { keyId }) => {
  const { availableMicro, allowance } = await ctx.runQuery(internal.usage.creditsOfKey, { keyId });
  return json(200, {
    object: "credits",
    available_credits: creditsNumber(availableMicro),
    allowance:
      allowance === null
        ? null
        : {
            credits: creditsNumber(allowance.micro),
            every: allowance.every,
            kind: allowance.kind,
            next_at: Math.floor(allowance.dueAt / 1_000),
          },
  });
});
