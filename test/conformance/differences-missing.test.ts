import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { modules } from "../../packages/embedded/test-app.fixture.ts";
import { deployment, httpClient, isEmbedded } from "./deployment.ts";
import { makeProject, type Project, runConvex } from "./project.ts";

const { differences } = modules;
let project: Project;

beforeAll(async () => {
  project = await makeProject();
});

afterAll(() => project.remove());

/** Asks the deployment's API as the admin. */
async function refusalOf(method: string, path: string, key = deployment.adminKey): Promise<[number, string]> {
  const headers = { Authorization: `Convex ${key}`, "Content-Type": "application/json" };
  const body = method === "POST" ? "{}" : null;
  const answer = await fetch(`${deployment.url}/api/${path}`, { method, headers, body });
  const { message } = (await answer.json()) as { readonly message: string };
  return [answer.status, message];
}

const sentence = (name: string, advice: string): [number, string] => [
  400,
  `${name} is not supported by the embedded backend. ${advice}`,
];

/** The convex command says "Retrying" from the third of its six attempts on. */
async function failsAtOnce(...args: string[]): Promise<string> {
  const ran = await runConvex(project, deployment, args);
  expect(ran.stdout + ran.stderr).not.toContain("Retrying");
  expect(ran.code, ran.stdout).toBe(1);
  return ran.stderr;
}

// docs/embedded.md has a table of these differences.
describe.skipIf(!isEmbedded)("what Convex Cloud has, and the embedded backend lacks", () => {
  test("calls for tokens, service URLs and the audit log fail with that message", async () => {
    const errors = [
      ...(await httpClient().mutation(differences.unsupportedInMutation, {})),
      ...(await httpClient().action(differences.unsupportedInAction, {})),
    ];
    expect(errors).toEqual(
      ["ctx.auth.signJwt()", "log.audit()", "getServiceToken()", "getServiceUrl()"].map(
        (name) => `${name} is not supported by the embedded backend`,
      ),
    );
  });

  test("a push of another version of the convex command is told which version it needs", async () => {
    const message =
      "This backend does not serve this request of the convex command. It needs version 1.48 or newer.";
    expect(await refusalOf("POST", "push_config")).toEqual([400, message]);
  });

  test("what the dashboard asks is refused with one sentence", async () => {
    const expected = sentence(
      "The dashboard",
      "Use `npx convex data`, `logs`, `env` and `run`, and `/metrics`.",
    );
    expect(await refusalOf("GET", "shapes2")).toEqual(expected);
    expect(await refusalOf("GET", "app_metrics/udf_rate?path=a")).toEqual(expected);
    const asked = { path: "_system/frontend/getSchemas", args: {}, format: "json" };
    const answer = await fetch(`${deployment.url}/api/query`, {
      method: "POST",
      headers: { Authorization: `Convex ${deployment.adminKey}`, "Content-Type": "application/json" },
      body: JSON.stringify(asked),
    });
    expect(((await answer.json()) as { readonly errorMessage: string }).errorMessage).toContain(
      "The embedded backend does not support the dashboard.",
    );
    const ran = await runConvex(project, deployment, ["dashboard", "--no-open"]);
    expect(ran.stderr).toContain("is not supported for self-hosted deployments");
  });

  test.each([
    ["GET", "v1/list_log_streams"],
    ["POST", "v1/create_log_stream"],
    ["POST", "v1/delete_log_stream/abc"],
  ])("a log stream is refused with one sentence: %s %s", async (method, path) => {
    const advice = "Read the log that the backend writes, or use `npx convex logs`.";
    expect(await refusalOf(method, path)).toEqual(sentence("A log stream", advice));
  });

  test.each([
    ["GET", "json_schemas?deltaSchema=true&format=json"],
    ["GET", "list_snapshot"],
    ["GET", "document_deltas?cursor=0"],
    ["POST", "document_deltas"],
    ["GET", "test_streaming_export_connection"],
    ["GET", "get_tables_and_columns"],
  ])("streaming export is refused with one sentence: %s %s", async (method, path) => {
    expect(await refusalOf(method, path)).toEqual(sentence("Streaming export", "Use `npx convex export`."));
  });

  test.each([
    ["POST", "streaming_import/import_airbyte_records"],
    ["PUT", "streaming_import/add_primary_key_indexes"],
  ])("streaming import is refused with one sentence: %s %s", async (method, path) => {
    expect(await refusalOf(method, path)).toEqual(sentence("Streaming import", "Use `npx convex import`."));
  });

  test.each([
    ["the deployment's use", ["deployment", "usage"]],
    ["usage limits", ["deployment", "usage-limits", "list"]],
    ["a new usage limit", ["deployment", "usage-limits", "set", "--metric", "functionCalls"]],
  ])("npx convex ends at once with one sentence: %s", async (_, args) => {
    const options = args.includes("set") ? ["--window", "day", "--type", "warning", "--limit", "5"] : [];
    expect(await failsAtOnce(...args, ...options)).toContain("This backend has no plan.");
  });

  test("npx convex insights, and variables of a project, end at once with one sentence", async () => {
    expect(await failsAtOnce("insights")).toContain("only available for cloud deployments");
    expect(await failsAtOnce("env", "default", "list")).toContain("only available for cloud projects");
  });

  test("only the admin learns what is not supported", async () => {
    const [status] = await refusalOf("GET", "list_snapshot", "wrong");
    expect(status).toBe(403);
  });
});
