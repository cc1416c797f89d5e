import { budgetCsv, type BudgetFigures, budgetRecords } from "../../app/usage/budget-table.ts";
import { internal } from "../_generated/api.js";
import { type ActionCtx, httpAction } from "../_generated/server.js";
import { answerCaller, bearerKey, originsOfToken } from "./endpoint.ts";
import { errorOf, unknownQuery, wrongMetricsToken, wrongParameter } from "./errors.ts";
import { outcomeOf } from "./outcome.ts";
import { cors, errorResponse, json, withOrigin } from "./respond.ts";
import { tableFormats, tokenPrefix } from "./usage.ts";

/**
 * GET /v1/budgets: the budgets of this month (UTC) as JSON or CSV. A token for metrics reads those of its organization, an API key
 * its own.
 */
export const budgets = httpAction(async (ctx: ActionCtx, request) => {
  const now = Date.now();
  const token = bearerKey(request);
  if (token?.startsWith(tokenPrefix) === true) {
    const read = await outcomeOf(ctx.runQuery(internal.usage.budgets, { token, now }));
    const response =
      read.kind !== "ok"
        ? errorResponse(errorOf(read))
        : read.value === null
          ? errorResponse(wrongMetricsToken)
          : answerWith(request, read.value, now);
    return withOrigin(request, response, await originsOfToken(ctx, request, token));
  }
  return await answerCaller(ctx, request, async (_ctx, _request, { keyId }) =>
    answerWith(request, await ctx.runQuery(internal.usage.budgetsOfKey, { keyId, now }), now),
  );
});

function answerWith(request: Request, rows: readonly BudgetFigures[], now: number): Response {
  const unknown = unknownQuery(request);
  if (unknown !== null) return errorResponse(unknown);
  const wanted = new URL(request.url).searchParams.get("format") ?? "json";
  const format = tableFormats.find((each) => each === wanted);
  if (format === undefined) return errorResponse(wrongParameter("format", tableFormats));
  if (format === "json") {
    const month = new Date(now).toISOString().slice(0, 7);
    return json(200, { object: "list", month, data: budgetRecords(rows) });
  }
  const headers = { "content-type": "text/csv; charset=utf-8", ...cors };
  return new Response(budgetCsv(rows), { headers });
}
