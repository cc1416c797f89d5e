import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ConvexHttpClient } from "convex/browser";
import { describe, expect, onTestFinished, test } from "vitest";
import { api, modules } from "../../packages/embedded/test-app.fixture.ts";
import { deployment, httpClient, isEmbedded, uniqueName } from "./deployment.ts";
import { startEmbedded } from "./embedded-backend.ts";
import { makeProject, runConvex, startConvex } from "./project.ts";

const patience = { timeout: 60_000, interval: 100 };

async function project() {
  const made = await makeProject();
  onTestFinished(made.remove);
  return made;
}

/** Starts a backend of this test's own, and makes a project to run `npx convex …` in. */
async function ownBackend() {
  const backend = await startEmbedded();
  onTestFinished(backend.stop);
  const { folder, remove } = await project();
  const convex = async (...args: string[]) => {
    const ran = await runConvex({ folder, remove }, backend, args);
    expect(ran.code, ran.stderr).toBe(0);
    return ran.stdout;
  };
  return { folder, convex, client: new ConvexHttpClient(backend.url, { logger: false }) };
}

test("npx convex data lists tables, and prints documents in each format", async () => {
  const own = await project();
  const convex = async (...args: string[]) => (await runConvex(own, deployment, args)).stdout;
  const name = uniqueName();
  await httpClient().mutation(api.counters.increment, { name });
  expect((await convex("data")).split("\n")).toEqual(expect.arrayContaining(["counters", "messages"]));
  expect(await convex("data", "counters")).toMatch(new RegExp(`"${name}" +\\| 1`));
  const lines = await convex("data", "counters", "--format", "jsonl", "--limit", "1000");
  expect(lines).toContain(`"name": "${name}", "value": 1`);
  expect((await convex("data", "--component", "mailbox")).trim()).toBe("letters");
});

test("npx convex logs prints what functions print, until it is stopped", async () => {
  const logs = startConvex(await project(), deployment, ["logs", "--history", "0"]);
  onTestFinished(() => void logs.process.kill("SIGKILL"));
  await expect.poll(logs.output, patience).toContain("Watching logs");
  // The command asks for later entries than it has seen when it starts, so the first runs may be too early.
  const printed = async () => {
    await httpClient().query(modules.printing.trace, {});
    return logs.output();
  };
  await expect.poll(printed, patience).toMatch(/CONVEX Q\(printing:trace\)\] \[LOG\] 'here' 1/);
});

// These would change the data and the functions under the other tests.
describe.skipIf(!isEmbedded)("with a backend of its own", () => {
  test("npx convex export and import carry documents from one backend to another", async () => {
    const from = await ownBackend();
    const to = await ownBackend();
    await from.client.mutation(api.counters.increment, { name: "carried" });
    await from.client.mutation(api.messages.send, { channel: "c", body: "carried" });
    const zip = join(from.folder, "snapshot.zip");
    await from.convex("export", "--path", zip);
    await to.convex("import", "--replace-all", "--yes", zip);
    expect(await to.client.query(api.counters.get, { name: "carried" })).toBe(1);
    expect(await to.client.query(api.messages.list, { channel: "c" })).toEqual(["carried"]);
  });

  test("npx convex import reads lines of JSON, and refuses documents that do not fit the schema", async () => {
    const { folder, convex, client } = await ownBackend();
    const file = join(folder, "counters.jsonl");
    await writeFile(file, '{"name":"a","value":3}\n{"name":"b","value":4}\n');
    await convex("import", "--table", "counters", "--replace", "--yes", file);
    expect(await client.query(api.counters.get, { name: "b" })).toBe(4);
    await writeFile(file, '{"name":"a","value":"three"}\n');
    await expect(convex("import", "--table", "counters", "--append", file)).rejects.toThrow(
      "does not match the schema",
    );
    expect(await client.query(api.counters.get, { name: "a" })).toBe(3);
  });

  test("npx convex run --push pushes before it runs", async () => {
    const { folder, convex } = await ownBackend();
    const source = `import { queryGeneric } from "convex/server";
      export const answer = queryGeneric({ handler: () => "pushed" });`;
    await writeFile(join(folder, "convex/added.ts"), source);
    const printed = await convex("run", "--push", "--typecheck", "disable", "added:answer");
    expect(printed.trim()).toBe('"pushed"');
  });

  test("npx convex run --watch prints each new result", async () => {
    const backend = await startEmbedded();
    onTestFinished(backend.stop);
    const client = new ConvexHttpClient(backend.url, { logger: false });
    const args = ["run", "--watch", "counters:get", '{"name":"watched"}'];
    const run = startConvex(await project(), backend, args);
    onTestFinished(() => void run.process.kill("SIGKILL"));
    const results = () => run.output().match(/^\d+$/gm) ?? [];
    await expect.poll(results, patience).toEqual(["0"]);
    await client.mutation(api.counters.increment, { name: "watched" });
    await expect.poll(results, patience).toEqual(["0", "1"]);
  });

  test("npx convex env sets many variables from a file, and reads one", async () => {
    const { folder, convex, client } = await ownBackend();
    const file = join(folder, "some.env");
    await writeFile(file, "FIRST=one\nSECOND='two words'\n");
    await convex("env", "set", "--from-file", file);
    expect((await convex("env", "get", "SECOND")).trim()).toBe("two words");
    expect(await client.query(api.values.environment, { name: "FIRST" })).toBe("one");
  });
});
