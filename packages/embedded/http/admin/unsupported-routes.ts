import type { AdminKeyCheck } from "../../auth/admin-key.ts";
import { adminRefusal } from "../admin-access.ts";
import type { ApiRoute } from "../api/api-handler.ts";
import { refusal } from "../reply.ts";

/** Endpoints of Convex that this backend does not have: their paths, their name, and advice. The first that fits counts. */
const unsupported: readonly (readonly [path: RegExp, name: string, advice: string])[] = [
  [
    /^(?:json_schemas|list_snapshot|document_deltas|get_tables_and_columns|get_table_column_names|test_streaming_export_connection|streaming_export\/.*)$/,
    "Streaming export",
    "Use `npx convex export`.",
  ],
  [/^streaming_import\//, "Streaming import", "Use `npx convex import`."],
  [
    /^v1\/\w*log_streams?\b/,
    "A log stream",
    "Read the log that the backend writes, or use `npx convex logs`.",
  ],
  [/^v1\/\w*usage\w*/, "A usage limit", "This backend has no plan. `/metrics` counts what it does."],
  [/^v1\//, "This part of the deployment API", "Use the commands of `npx convex`."],
  [
    /^(?:shapes2|app_metrics\/.*)$/,
    "The dashboard",
    "Use `npx convex data`, `logs`, `env` and `run`, and `/metrics`.",
  ],
];

/** Refuses such endpoints with one sentence. The convex command would repeat a request that gets a 404 six times. */
export function unsupportedRoutes({ isAdminKey }: { readonly isAdminKey: AdminKeyCheck }): ApiRoute {
  return (path, request) => {
    const found = unsupported.find(([pattern]) => pattern.test(path));
    if (found === undefined) return Promise.resolve(null);
    const [, name, advice] = found;
    const message = `${name} is not supported by the embedded backend. ${advice}`;
    return Promise.resolve(adminRefusal(request, isAdminKey) ?? refusal(400, "NotSupported", message));
  };
}
