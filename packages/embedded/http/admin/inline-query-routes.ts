import type { IncomingMessage } from "node:http";
import * as z from "zod";
import type { AdminKeyCheck } from "../../auth/admin-key.ts";
import { appComponent, type ComponentPath } from "../../names/table-name.ts";
import type { Completed } from "../../runtime/contract/function-runner.ts";
import type { RecordAct } from "../../system/admin-acts.ts";
import { parseWith } from "../../wire/describe-faults.ts";
import { requestIdOf } from "../../wire/request-id.ts";
import type { SourceOf } from "../../wire/request-source.ts";
import { adminRefusal } from "../admin-access.ts";
import type { ApiRoute } from "../api/api-handler.ts";
import { completedReply, refusal, type Reply } from "../reply.ts";
import { readJson } from "../request-body.ts";

type InlineQueryDeps = {
  readonly isAdminKey: AdminKeyCheck;
  readonly runSource: (source: string, component: ComponentPath, requestId: string) => Promise<Completed>;
  readonly record: RecordAct;
  readonly sourceOf: SourceOf;
};

const body = z.object({
  bundle: z.object({ source: z.string().max(1024 ** 2) }),
  /** As `_system/frontend/components:list` names it: its path. */
  componentId: z.string().max(1_024).nullish(),
  format: z.enum(["json", "convex_encoded_json"]).default("json"),
});

/** `POST /api/run_test_function`: `npx convex run --inline-query`. */
export function inlineQueryRoutes(deps: InlineQueryDeps): ApiRoute {
  return async (path, request) => {
    if (path !== "run_test_function" || request.method !== "POST") return null;
    return adminRefusal(request, deps.isAdminKey) ?? (await answer(deps, request));
  };
}

async function answer(deps: InlineQueryDeps, request: IncomingMessage): Promise<Reply> {
  const { runSource, record, sourceOf } = deps;
  const source = sourceOf(request);
  const json = await readJson(request);
  if (json.kind === "refused") return json.reply;
  const parsed = parseWith(body, json.value);
  if (parsed.kind === "invalid") return refusal(400, "BadRequest", parsed.reason);
  const { bundle, componentId, format } = parsed.value;
  await record({ kind: "read", names: ["inline query"] }, source);
  return completedReply(
    await runSource(bundle.source, componentId ?? appComponent, requestIdOf(request)),
    format,
  );
}
