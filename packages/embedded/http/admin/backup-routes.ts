import { rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import * as z from "zod";
import type { AdminKeyCheck } from "../../auth/admin-key.ts";
import type { RestoreRequest, Restores } from "../../backup/full/restores.ts";
import { type BackupSource, writeBackup } from "../../backup/full/write-backup.ts";
import type { Uploads } from "../../backup/uploads.ts";
import type { RecordAct } from "../../system/admin-acts.ts";
import type { SourceOf } from "../../wire/request-source.ts";
import { adminRefusal } from "../admin-access.ts";
import type { ApiRoute } from "../api/api-handler.ts";
import { jsonReply, refusal, type Reply } from "../reply.ts";
import { readJson } from "../request-body.ts";

type BackupRouteDeps = {
  readonly backup: BackupSource;
  readonly restores: Restores;
  readonly uploads: Uploads;
  readonly isAdminKey: AdminKeyCheck;
  readonly record: RecordAct;
  readonly sourceOf: SourceOf;
};

const restoreBody = z.object({ uploadToken: z.string().max(64), revokeAll: z.boolean().default(false) });
/** Time for the answer to be sent before the connections close, in ms. */
const answerLeavesMs = 100;

type Answer = (deps: BackupRouteDeps, request: IncomingMessage) => Promise<Reply>;

const answers = new Map<string, Answer>([
  ["GET embedded/backup", sendBackup],
  ["POST embedded/restore", restore],
  ["POST embedded/restore/undo", async ({ restores }) => answerTo(restores, await restores.undo())],
  ["GET embedded/restore", ({ restores }) => Promise.resolve(jsonReply(restores.outcome()))],
]);

/**
 * Full backups. `GET /api/embedded/backup` writes one. `POST /api/embedded/restore` restores a file uploaded like an
 * import, `POST /api/embedded/restore/undo` goes back, `GET /api/embedded/restore` returns the state of the last
 * restore.
 */
export function backupRoutes(deps: BackupRouteDeps): ApiRoute {
  return async (path, request) => {
    const answer = answers.get(`${request.method ?? ""} ${path}`);
    if (answer === undefined) return null;
    return adminRefusal(request, deps.isAdminKey) ?? (await answer(deps, request));
  };
}

async function sendBackup(
  { backup, record, sourceOf }: BackupRouteDeps,
  request: IncomingMessage,
): Promise<Reply> {
  await record({ kind: "export", names: [] }, sourceOf(request));
  const { output } = await writeBackup(backup);
  return {
    status: 200,
    headers: { "Content-Type": "application/zip" },
    body: { type: "stream", stream: output },
  };
}

async function restore({ restores, uploads }: BackupRouteDeps, request: IncomingMessage): Promise<Reply> {
  const json = await readJson(request);
  if (json.kind === "refused") return json.reply;
  const parsed = restoreBody.safeParse(json.value);
  if (!parsed.success) return refusal(400, "BadRequest", "Expected the uploadToken of an uploaded backup.");
  const uploaded = await uploads.finish(parsed.data.uploadToken);
  if (uploaded.kind === "refused") return refusal(400, "InvalidUpload", uploaded.reason);
  const { revokeAll } = parsed.data;
  try {
    return answerTo(restores, await restores.restore(uploaded.file, { revokeAll }));
  } finally {
    await rm(uploaded.file, { force: true });
  }
}

function answerTo(restores: Restores, request: RestoreRequest): Reply {
  if (request.kind === "refused") return refusal(400, "RestoreRefused", request.reason);
  const { id, manifest } = request;
  setTimeout(() => restores.restart(id), answerLeavesMs);
  return jsonReply({ id, createdAt: manifest?.createdAt ?? null });
}
