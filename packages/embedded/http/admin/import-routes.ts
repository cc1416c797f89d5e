import type { IncomingMessage } from "node:http";
import * as z from "zod";
import type { AdminKeyCheck } from "../../auth/admin-key.ts";
import type { Imports } from "../../backup/import/imports.ts";
import type { Uploads } from "../../backup/uploads.ts";
import type { RecordAct } from "../../system/admin-acts.ts";
import { parseWith } from "../../wire/describe-faults.ts";
import type { SourceOf } from "../../wire/request-source.ts";
import { adminRefusal } from "../admin-access.ts";
import type { ApiRoute } from "../api/api-handler.ts";
import { jsonReply, refusal, type Reply } from "../reply.ts";
import { readJson } from "../request-body.ts";

type ImportRouteDeps = {
  readonly imports: Imports;
  readonly uploads: Uploads;
  readonly isAdminKey: AdminKeyCheck;
  readonly record: RecordAct;
  readonly sourceOf: SourceOf;
};

const finishBody = z.object({
  uploadToken: z.string(),
  partTokens: z.array(z.string()).max(10_000),
  import: z.object({
    tableName: z.string().max(64).nullish(),
    componentPath: z.string().max(1_000).nullish(),
    mode: z.enum(["requireEmpty", "append", "replace", "replaceAll"]),
    format: z.enum(["zip", "jsonLines", "jsonArray", "csv"]),
  }),
});
const importBody = z.object({ importId: z.string().max(64) });

type Answer = (deps: ImportRouteDeps, request: IncomingMessage) => Promise<Reply>;

const answers = new Map<string, Answer>([
  ["import/start_upload", async ({ uploads }) => jsonReply({ uploadToken: await uploads.start() })],
  ["import/upload_part", takePart],
  ["import/finish_upload", finishUpload],
  ["perform_import", perform],
  ["cancel_import", cancel],
]);

/** `POST /api/import/…`, `perform_import` and `cancel_import`: `npx convex import`. */
export function importRoutes(deps: ImportRouteDeps): ApiRoute {
  return async (path, request) => {
    const answer = answers.get(path);
    if (answer === undefined || request.method !== "POST") return null;
    return adminRefusal(request, deps.isAdminKey) ?? (await answer(deps, request));
  };
}

async function takePart({ uploads }: ImportRouteDeps, request: IncomingMessage): Promise<Reply> {
  const query = new URL(request.url ?? "/", "http://backend").searchParams;
  const part = Number(query.get("partNumber") ?? "");
  const taken = await uploads.part(query.get("uploadToken") ?? "", part, request);
  return taken.kind === "ok" ? jsonReply(String(part)) : refusal(400, "InvalidUpload", taken.reason);
}

async function finishUpload({ uploads, imports }: ImportRouteDeps, request: IncomingMessage): Promise<Reply> {
  const body = await readBodyAs(finishBody, request);
  if (body.kind === "refused") return body.reply;
  const { uploadToken, import: wanted } = body.value;
  const table = wanted.tableName ?? null;
  if ((wanted.format === "zip") !== (table === null)) {
    return refusal(400, "InvalidImport", "Name the table: only ZIP files contain table names.");
  }
  const uploaded = await uploads.finish(uploadToken);
  if (uploaded.kind === "refused") return refusal(400, "InvalidUpload", uploaded.reason);
  const importId = await imports.add({
    file: uploaded.file,
    format: wanted.format,
    mode: wanted.mode,
    table,
    component: wanted.componentPath ?? "",
  });
  return jsonReply({ importId });
}

async function perform(deps: ImportRouteDeps, request: IncomingMessage): Promise<Reply> {
  const { imports, record, sourceOf } = deps;
  const source = sourceOf(request);
  const body = await readBodyAs(importBody, request);
  if (body.kind === "refused") return body.reply;
  // An import may replace the table in which the app records it.
  const onPlaced = (names: readonly string[]): Promise<void> => record({ kind: "import", names }, source);
  if (await imports.perform(body.value.importId, onPlaced)) return jsonReply(null);
  return refusal(400, "ImportNotWaiting", "This import is not waiting for confirmation.");
}

async function cancel({ imports }: ImportRouteDeps, request: IncomingMessage): Promise<Reply> {
  const body = await readBodyAs(importBody, request);
  if (body.kind === "refused") return body.reply;
  await imports.cancel(body.value.importId);
  return jsonReply(null);
}

type ParsedBody<T> =
  { readonly kind: "ok"; readonly value: T } | { readonly kind: "refused"; readonly reply: Reply };

async function readBodyAs<T>(schema: z.ZodType<T>, request: IncomingMessage): Promise<ParsedBody<T>> {
  const json = await readJson(request);
  if (json.kind === "refused") return json;
  const parsed = parseWith(schema, json.value);
  if (parsed.kind === "ok") return parsed;
  return { kind: "refused", reply: refusal(400, "BadRequest", parsed.reason) };
}
