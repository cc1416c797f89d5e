import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import { describe, expect, onTestFinished, test } from "vitest";
import { api } from "../../packages/embedded/test-app.fixture.ts";
import { isEmbedded, liveClient } from "./deployment.ts";
import { startEmbedded } from "./embedded-backend.ts";
import { makeProject, runConvex, startConvex } from "./project.ts";
import { watch } from "./watch.ts";

const patience = { timeout: 60_000, interval: 100 };
const answer = makeFunctionReference<"query", Record<string, never>, string>("added:answer");
const count = makeFunctionReference<"query", Record<string, never>, number>("added:count");

const queryThat = (statements: string): string =>
  `import { queryGeneric as query } from "convex/server";
   export const answer = query({ handler: () => { ${statements} } });`;

/** Starts a backend, and `npx convex dev` in a project with the same functions. */
async function startLoop() {
  const backend = await startEmbedded();
  onTestFinished(backend.stop);
  const project = await makeProject();
  onTestFinished(project.remove);
  const dev = startConvex(project, backend, ["dev", "--typecheck", "disable"]);
  const ended = once(dev.process, "exit");
  onTestFinished(async () => {
    dev.process.kill("SIGKILL");
    await ended;
  });
  const file = (name: string): string => join(project.folder, "convex", name);
  const pushes = (): number => dev.output().split("functions ready").length - 1;
  await expect.poll(pushes, patience).toBe(1);
  return {
    backend,
    project,
    ended,
    client: new ConvexHttpClient(backend.url, { logger: false }),
    output: dev.output,
    interrupt: () => dev.process.kill("SIGINT"),
    read: (name: string) => readFile(file(name), "utf8"),
    write: (name: string, source: string) => writeFile(file(name), source),
    /** Waits for this text in what the command prints from now on. */
    printed: (text: string) => {
      const before = dev.output().length;
      return () => expect.poll(() => dev.output().slice(before), patience).toContain(text);
    },
  };
}

// A loop would change the functions of another deployment for the tests that run meanwhile.
describe.skipIf(!isEmbedded)("npx convex dev", { timeout: 240_000 }, () => {
  test("pushes each change, while clients stay connected", async () => {
    const { backend, client, write } = await startLoop();
    await write("added.ts", queryThat('return "first";'));
    await expect.poll(() => client.query(answer).catch(() => null), patience).toBe("first");
    const live = liveClient(backend.url);
    const seen = watch(live, answer, {});
    await seen.until((value) => value === "first");
    const { connectionCount } = live.connectionState();
    await write("added.ts", queryThat('return "second";'));
    await seen.until((value) => value === "second");
    expect(live.connectionState().connectionCount).toBe(connectionCount);
  });

  test("says what is wrong with a file, and the functions stay as they were until it is mended", async () => {
    const { client, write, printed } = await startLoop();
    await write("added.ts", queryThat('return "good";'));
    await expect.poll(() => client.query(answer).catch(() => null), patience).toBe("good");
    const syntaxError = printed("convex/added.ts:2:");
    await write("added.ts", queryThat("return (;"));
    await syntaxError();
    expect(await client.query(answer)).toBe("good");
    const thrown = printed("Uncaught Error: not today");
    await write("added.ts", 'export const value = 1;\nthrow new Error("not today");');
    await thrown();
    expect(await client.query(answer)).toBe("good");
    await write("added.ts", queryThat('return "mended";'));
    await expect.poll(() => client.query(answer), patience).toBe("mended");
  });

  test("adds tables and indexes, and waits while stored documents do not fit the schema", async () => {
    const { client, read, write, printed } = await startLoop();
    const id = await client.mutation(api.messages.send, { channel: "c", body: "early" });
    const schema = await read("schema.ts");
    await write(
      "schema.ts",
      schema
        .replace('.index("by_channel"', '.index("by_body", ["body"]).index("by_channel"')
        .replace("  messages:", "  extra: defineTable({ n: v.number() }),\n  messages:"),
    );
    await write(
      "added.ts",
      `import { queryGeneric as query } from "convex/server";
       export const count = query({ handler: async (ctx) => {
         const found = await ctx.db.query("messages").withIndex("by_body", (q) => q.eq("body", "early")).collect();
         return found.length + (await ctx.db.query("extra").collect()).length;
       } });`,
    );
    await expect.poll(() => client.query(count).catch(() => null), patience).toBe(1);
    const refused = printed('in table "messages" does not match the schema');
    await write("schema.ts", schema.replace("body: v.string(), n", "body: v.int64(), n"));
    await refused();
    expect(await client.query(count)).toBe(1);
    const goesOn = printed("functions ready");
    await client.mutation(api.messages.remove, { id });
    await goesOn();
  });

  test("pushes again by itself when a variable is set that the code needs", async () => {
    const { backend, project, client, write, printed } = await startLoop();
    const missing = printed("Uncaught Error: PLANET is missing");
    await write(
      "added.ts",
      `if (process.env.PLANET === undefined) throw new Error("PLANET is missing");
       ${queryThat("return process.env.PLANET;")}`,
    );
    await missing();
    const set = await runConvex(project, backend, ["env", "set", "PLANET", "mars"]);
    expect(set.code, set.stderr).toBe(0);
    await expect.poll(() => client.query(answer).catch(() => null), patience).toBe("mars");
  });

  test("prints what functions print, and ends at once on an interrupt", async () => {
    const { backend, client, write, printed, ended, interrupt } = await startLoop();
    await write("added.ts", queryThat('console.log("from inside"); return "printed";'));
    await expect.poll(() => client.query(answer).catch(() => null), patience).toBe("printed");
    const line = printed("'from inside'");
    await client.query(answer);
    await line();
    interrupt();
    const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null];
    expect([0, 130, null]).toContain(code);
    expect([null, "SIGINT"]).toContain(signal);
    expect((await fetch(`${backend.url}/ready`)).status).toBe(200);
    expect(await client.query(answer)).toBe("printed");
  });
});
