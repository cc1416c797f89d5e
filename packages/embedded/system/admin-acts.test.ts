import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConvexClient, ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { type Deployment, Workshop } from "../backup/backend.fixture.ts";

const adminKey = "backup-test|0123456789abcdef";
const mutation = (name: string) => makeFunctionReference<"mutation">(name);
const query = (name: string) => makeFunctionReference<"query">(name);
const action = (name: string) => makeFunctionReference<"action">(name);

type Act = { readonly kind: string; readonly names: readonly string[]; readonly ip: string | null };

const workshop = new Workshop();
let deployment: Deployment;
let known = 0;

beforeAll(async () => {
  const convexDir = join(import.meta.dirname, "fixtures/admin-acts");
  deployment = await workshop.backend("acts", { convexDir });
});

afterAll(async () => {
  await workshop.close();
});

async function allActs(): Promise<readonly Act[]> {
  const client = new ConvexHttpClient(deployment.url, { logger: false });
  return (await client.query(query("adminActs:list"))) as readonly Act[];
}

beforeEach(async () => {
  known = (await allActs()).length;
});

/** The acts of this test, and one address for all of them. */
async function acts(): Promise<readonly (readonly [string, readonly string[]])[]> {
  const found = (await allActs()).slice(known);
  expect(found.map(({ ip }) => ip)).toEqual(found.map(() => "127.0.0.1"));
  return found.map(({ kind, names }) => [kind, names]);
}

function admin(): ConvexHttpClient {
  const client = new ConvexHttpClient(deployment.url, { logger: false });
  (client as unknown as { setAdminAuth: (key: string) => void }).setAdminAuth(adminKey);
  return client;
}

async function post(path: string, body: object): Promise<number> {
  const headers = { Authorization: `Convex ${adminKey}`, "Content-Type": "application/json" };
  const answer = await fetch(`${deployment.url}/api/${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  return answer.status;
}

test("the app is told of calls with the admin key, and of no other calls", async () => {
  await new ConvexHttpClient(deployment.url, { logger: false }).mutation(mutation("notes:add"));
  await admin().mutation(mutation("notes:clear"));
  await admin().action(action("notes:sweep"));
  await admin().mutation(mutation("notes:add"));
  expect(await acts()).toEqual([
    ["call", ["notes:clear"]],
    ["call", ["notes:sweep"]],
    ["call", ["notes:add"]],
  ]);
});

test("a call over a WebSocket with the admin key is told, too", async () => {
  const client = new ConvexClient(deployment.url, { unsavedChangesWarning: false, logger: false });
  onTestFinished(() => client.close());
  (client.client as unknown as { setAdminAuth: (key: string) => void }).setAdminAuth(adminKey);
  await client.mutation(mutation("notes:clear"), {});
  expect(await acts()).toEqual([["call", ["notes:clear"]]]);
});

test("equal reads in a row are told once", async () => {
  for (let n = 0; n < 3; n++) await admin().query(query("notes:count"));
  expect(await acts()).toEqual([["read", ["notes:count"]]]);
});

test("`npx convex run` and `npx convex data` are told", async () => {
  await workshop.convex(deployment, "run", "notes:clear");
  await workshop.convex(deployment, "data", "notes");
  expect(await acts()).toEqual([
    ["call", ["notes:clear"]],
    ["read", ["notes"]],
  ]);
});

test("a query that the admin watches is told once", async () => {
  const client = new ConvexClient(deployment.url, { unsavedChangesWarning: false, logger: false });
  onTestFinished(() => client.close());
  (client.client as unknown as { setAdminAuth: (key: string) => void }).setAdminAuth(adminKey);
  await new Promise((resolve) => client.onUpdate(query("notes:ids"), {}, resolve));
  await admin().mutation(mutation("notes:add"));
  expect(await acts()).toEqual([
    ["read", ["notes:ids"]],
    ["call", ["notes:add"]],
  ]);
});

test("changed variables are told by their names, without their values", async () => {
  const changes = [
    { name: "COLOR", value: "secret green" },
    { name: "SIZE", value: null },
  ];
  expect(await post("update_environment_variables", { changes })).toBe(200);
  expect(await acts()).toEqual([["variables", ["COLOR", "SIZE"]]]);
});

test("an import is told, after it has replaced the table of acts, too", async () => {
  const file = workshop.path("acts.jsonl");
  writeFileSync(file, `${JSON.stringify({ kind: "forged", names: [], ip: "127.0.0.1" })}\n`);
  await workshop.convex(deployment, "import", "--replace", "--yes", "--table", "acts", file);
  known = 0;
  expect(await acts()).toEqual([
    ["forged", []],
    ["import", ["acts"]],
  ]);
});

test("exports and backups are told", async () => {
  expect(await post("export/request/zip?includeStorage=false", {})).toBe(200);
  await (
    await fetch(`${deployment.url}/api/embedded/backup`, { headers: { Authorization: `Convex ${adminKey}` } })
  ).arrayBuffer();
  expect(await acts()).toEqual([
    ["export", []],
    ["export", []],
  ]);
});

test("an app that cannot record an act does not stop the admin", async () => {
  expect(await post("update_environment_variables", { changes: [{ name: "FAILS", value: "1" }] })).toBe(200);
  expect(await acts()).toEqual([]);
});
