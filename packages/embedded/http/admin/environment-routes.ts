import type { IncomingMessage } from "node:http";
import type { AdminKeyCheck } from "../../auth/admin-key.ts";
import { authorize } from "../../auth/authorization.ts";
import type { RecordAct } from "../../system/admin-acts.ts";
import {
  environmentChanges,
  type EnvironmentVariables,
  maxVariables,
  type Updated,
} from "../../system/environment-variables.ts";
import type { SourceOf } from "../../wire/request-source.ts";
import type { ApiRoute } from "../api/api-handler.ts";
import { jsonReply, refusal, type Reply } from "../reply.ts";
import { readJson } from "../request-body.ts";

type EnvironmentRouteDeps = {
  readonly environment: EnvironmentVariables;
  readonly isAdminKey: AdminKeyCheck;
  /** Lets the functions take the new values over. */
  readonly onUpdated: () => Promise<void>;
  readonly record: RecordAct;
  readonly sourceOf: SourceOf;
};

/** `POST /api/update_environment_variables`: `npx convex env set` and `remove`. */
export function environmentRoutes(deps: EnvironmentRouteDeps): ApiRoute {
  return (path, request) =>
    path === "update_environment_variables" && request.method === "POST"
      ? updateEnvironment(deps, request)
      : Promise.resolve(null);
}

async function updateEnvironment(deps: EnvironmentRouteDeps, incoming: IncomingMessage): Promise<Reply> {
  const source = deps.sourceOf(incoming);
  const authorized = authorize(incoming.headers.authorization, deps.isAdminKey);
  if (authorized.kind === "refused") return refusal(401, authorized.code, authorized.message);
  if (authorized.identity.kind !== "admin") return refusal(403, "Forbidden", "Only the admin may do this.");
  const json = await readJson(incoming);
  if (json.kind === "refused") return json.reply;
  const parsed = environmentChanges.safeParse(json.value);
  if (!parsed.success) return refusal(400, "InvalidEnvironmentVariables", parsed.error.message.slice(0, 500));
  const updated = await deps.environment.update(parsed.data.changes);
  if (updated.kind === "updated") {
    await deps.onUpdated();
    const names = parsed.data.changes.map(({ name }) => name);
    await deps.record({ kind: "variables", names }, source);
  }
  return updatedReply(updated);
}

function updatedReply(updated: Updated): Reply {
  switch (updated.kind) {
    case "updated":
      return jsonReply(null);
    case "too many":
      return refusal(
        400,
        "EnvVarLimitMet",
        `A deployment has ${maxVariables} environment variables at most.`,
      );
    case "conflicted":
      return refusal(503, "OptimisticConcurrencyControlFailure", updated.message);
  }
}
