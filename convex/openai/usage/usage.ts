import type { UsageFacts } from "../../../app/usage/comparison.ts";
import {
  type UsageBy,
  usageCsv,
  type UsageDays,
  usageDays,
  usageGroupings,
  usageRecords,
  type UsageRow,
} from "../../../app/usage/usage-table.ts";
import { internal } from "../../_generated/api.js";
import { type ActionCtx, httpAction } from "../../_generated/server.js";
import { answerCaller, answerToken, bearerKey } from "../endpoint.ts";
import { wrongMetricsToken, wrongParameter } from "../errors.ts";
import { type ApiError, cors, errorResponse, json } from "../respond.ts";

/** Tokens for metrics begin so. */
export const tokenPrefix = "gm_";
export const tableFormats = ["json", "csv"] as const;

/**
 * GET /v1/usage: a table of usage as JSON or CSV. A token for metrics reads the tables of its organization, an API key its own
 * days.
 */
export const usage = httpAction(async (ctx: ActionCtx, request) => {
  const token = bearerKey(request);
  if (token?.startsWith(tokenPrefix) === true)
    return await answerToken(ctx, request, token, async () => await ofOrganization(ctx, request, token));
  return await answerCaller(ctx, request, async (_ctx, _request, { keyId }) => {
    const wanted = wantedOf(request, ["day"]);
    if ("error" in wanted) return errorResponse(wanted.error);
    const { days } = wanted;
    return answerWith(wanted, await ctx.runQuery(internal.usage.ofKey, { keyId, days, until: Date.now() }));
  });
});

async function ofOrganization(ctx: ActionCtx, request: Request, token: string): Promise<Response> {
  const wanted = wantedOf(request, usageGroupings);
  if ("error" in wanted) return errorResponse(wanted.error);
  const { by, days } = wanted;
  const table = await ctx.runQuery(internal.usage.read, { token, by, days, until: Date.now() });
  return table === null ? errorResponse(wrongMetricsToken) : answerWith(wanted, table);
}

type Wanted = {
  readonly by: UsageBy;
  readonly days: UsageDays;
  readonly format: (typeof tableFormats)[number];
};

/** The parameters of the address, with "day", 30 and "json" by default. */
function wantedOf(request: Request, groupings: readonly UsageBy[]): Wanted | { readonly error: ApiError } {
  const { searchParams } = new URL(request.url);
  const by = groupings.find((each) => each === (searchParams.get("by") ?? "day"));
  const days = usageDays.find((each) => String(each) === (searchParams.get("days") ?? "30"));
  const format = tableFormats.find((each) => each === (searchParams.get("format") ?? "json"));
  if (by === undefined) return { error: wrongParameter("by", groupings) };
  if (days === undefined) return { error: wrongParameter("days", usageDays) };
  return format === undefined ? { error: wrongParameter("format", tableFormats) } : { by, days, format };
}

type Table = {
  readonly rows: readonly UsageRow[];
  readonly facts: UsageFacts;
};

function answerWith({ by, days, format }: Wanted, { rows, facts }: Table): Response {
  if (format === "csv") {
    const headers = { "content-type": "text/csv; charset=utf-8", ...cors };
    return new Response(usageCsv(by, rows, facts), { headers });
  }
  const { currency } = facts;
  return json(200, { object: "list", by, days, currency, data: usageRecords(by, rows, facts) });
}
