import { createReadStream } from "node:fs";
import type { IncomingMessage } from "node:http";
import type { AdminKeyCheck } from "../../auth/admin-key.ts";
import type { Exports } from "../../backup/export/exports.ts";
import type { RecordAct } from "../../system/admin-acts.ts";
import type { SourceOf } from "../../wire/request-source.ts";
import { adminRefusal } from "../admin-access.ts";
import type { ApiRoute } from "../api/api-handler.ts";
import { jsonReply, refusal, type Reply } from "../reply.ts";

type ExportRouteDeps = {
  readonly exports: Exports;
  readonly isAdminKey: AdminKeyCheck;
  readonly deploymentName: string;
  readonly record: RecordAct;
  readonly sourceOf: SourceOf;
};

const zip = /^export\/zip\/(\d{1,20})$/;

/** `POST /api/export/request/zip` and `GET /api/export/zip/{snapshot}`: `npx convex export`. */
export function exportRoutes(deps: ExportRouteDeps): ApiRoute {
  return async (path, request) => {
    const snapshot = zip.exec(path)?.[1];
    const isRequest = path === "export/request/zip" && request.method === "POST";
    if (!isRequest && (snapshot === undefined || request.method !== "GET")) return null;
    const refused = adminRefusal(request, deps.isAdminKey);
    if (refused !== null) return refused;
    return snapshot === undefined ? requestExport(deps, request) : sendExport(deps, snapshot);
  };
}

async function requestExport(
  { exports, record, sourceOf }: ExportRouteDeps,
  request: IncomingMessage,
): Promise<Reply> {
  const query = new URL(request.url ?? "/", "http://backend").searchParams;
  const source = sourceOf(request);
  if (await exports.request(query.get("includeStorage") === "true")) {
    await record({ kind: "export", names: [] }, source);
    return jsonReply(null);
  }
  return refusal(400, "ExportInProgress", "There is already an export requested or in progress.");
}

async function sendExport({ exports, deploymentName }: ExportRouteDeps, snapshot: string): Promise<Reply> {
  const found = await exports.find(snapshot);
  if (found === null) {
    return refusal(404, "ExportNotFound", "This export no longer exists. Request a new one.");
  }
  return {
    status: 200,
    headers: {
      "Content-Type": "application/zip",
      "Content-Length": String(found.size),
      "Content-Disposition": `attachment; filename=snapshot_${deploymentName}_${snapshot}.zip`,
    },
    body: { type: "stream", stream: createReadStream(found.file) },
  };
}
