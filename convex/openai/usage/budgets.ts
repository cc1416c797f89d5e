import { budgetCsv, type BudgetFigures, budgetRecords } from "../../../app/usage/budget-table.ts";
import { internal } from "../../_generated/api.js";
import { type ActionCtx, httpAction } from "../../_generated/server.js";
import { answerCaller, answerToken, bearerKey } from "../endpoint.ts";
import { wrongMetricsToken, wrongParameter } from "../errors.ts";
import { cors, errorResponse, json } from "../respond.ts";
import { tableFormats, tokenPrefix } from "./usage.ts";

/**
 * GET /v1/budgets: the budgets of this month (UTC) as JSON or CSV. A token for metrics reads those of its organization, an API key
 * its own.
 */
export const budgets = httpAction(async (ctx: ActionCtx, request) => {
  const now = Date.now();
  const token = bearerKey(request);
  if (token?.startsWith(tokenPrefix) === true)
    return await answerToken(ctx, request, token, async () => {
      const rows = await ctx.runQuery(internal.usage.budgets, { token, now });
      return rows === null ? errorResponse(wrongMetricsToken) : answerWith(request, rows, now);
    });
  return await answerCaller(ctx, request, async (_ctx, _request, { keyId }) =>
    answerWith(request, await ctx.runQuery(internal.usage.budgetsOfKey, { keyId, now }), now),
  );
});

function answerWith(request: Request, rows: readonly BudgetFigures[], now: number): Response {
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
