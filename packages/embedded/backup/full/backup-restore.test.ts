import { cpSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { ConvexClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import type { Value } from "convex/values";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Deployment, Workshop } from "../backend.fixture.ts";

let workshop: Workshop;
let deployment: Deployment;
let author: string;
let fileId: string;

beforeEach(async () => {
  workshop = new Workshop();
  deployment = await workshop.backend("data");
  author = (await deployment.mutation("notes:addUser", { name: "dora" })) as string;
  fileId = (await deployment.action("notes:store", { text: "kept" })) as string;
  await deployment.mutation("notes:add", { author, note: { text: "before", file: fileId } });
  await deployment.mutation("notes:later", { author, inMs: 3_600_000 });
});
afterEach(() => workshop.close());

const ok = async (ran: Promise<{ code: number; output: string }>): Promise<string> => {
  const { code, output } = await ran;
  expect(code, output).toBe(0);
  return output;
};

async function backup(name = "backup.zip"): Promise<string> {
  await ok(workshop.gleaner(deployment, "backup", workshop.path(name)));
  return workshop.path(name);
}

async function textOf(from: Deployment, id: string): Promise<string> {
  const url = (await from.query("notes:url", { id })) as string;
  return (await fetch(url)).text();
}

test("a restore brings back everything, while clients stay connected", async () => {
  await deployment.fetch("/api/update_environment_variables", {
    method: "POST",
    body: JSON.stringify({ changes: [{ name: "COLOR", value: "blue" }] }),
  });
  const scheduled = await deployment.query("notes:scheduled");
  const file = await backup();
  expect(statSync(file).mode & 0o077).toBe(0);

  const seen: Value[] = [];
  const client = new ConvexClient(deployment.url);
  client.onUpdate(makeFunctionReference<"query">("notes:count"), {}, (count: number) => seen.push(count));
  await expect.poll(() => seen.at(-1)).toBe(1);
  const add = makeFunctionReference<"mutation">("notes:add");
  await client.mutation(add, { author, note: { text: "after" } });
  const lost = (await deployment.action("notes:store", { text: "lost" })) as string;
  await deployment.mutation("notes:clear");
  await expect.poll(() => seen.at(-1)).toBe(0);

  const output = await ok(workshop.gleaner(deployment, "restore", file));
  expect(output).toContain("data.sqlite.before-restore");
  await expect.poll(() => seen.at(-1)).toBe(1);
  expect(await deployment.query("notes:search", { text: "before" })).toEqual(["before"]);
  expect(await deployment.query("notes:search", { text: "after" })).toEqual([]);
  expect(await deployment.query("notes:scheduled")).toEqual(scheduled);
  expect(await deployment.query("notes:environment", { name: "COLOR" })).toBe("blue");
  expect(await textOf(deployment, fileId)).toBe("kept");
  expect(await deployment.query("notes:url", { id: lost })).toBeNull();
  // The same client continues: its mutations succeed, and it sees their effects.
  await client.mutation(add, { author, note: { text: "in the new time" } });
  await expect.poll(() => seen.at(-1)).toBe(2);

  await ok(workshop.gleaner(deployment, "restore", "--undo"));
  await expect.poll(() => seen.at(-1)).toBe(0);
  expect(await textOf(deployment, lost)).toBe("lost");
  await client.close();
});

test("a backup can be restored on another machine", async () => {
  const file = await backup();
  const other = await workshop.backend("other", { adminKey: deployment.adminKey });
  await ok(workshop.gleaner(other, "restore", file));
  expect(await other.query("notes:list")).toEqual(await deployment.query("notes:list"));
  expect(await textOf(other, fileId)).toBe("kept");
});

test("without a running backend, the next start applies the restored state, even over a damaged file", async () => {
  const file = await backup();
  await deployment.backend.close();
  cpSync(workshop.path("data.sqlite"), workshop.path("backend.sqlite"));
  writeFileSync(workshop.path("backend.sqlite"), "not a database at all, however long it is".repeat(300));
  await expect(workshop.backend("backend")).rejects.toThrow(/damaged.*gleaner restore/s);
  writeFileSync(workshop.path("backend-url"), "http://127.0.0.1:9");
  expect(await ok(workshop.gleaner(null, "restore", file))).toContain("next start restores the backup");
  const again = await workshop.backend("backend");
  expect(await again.query("notes:count")).toBe(1);
  expect(readFileSync(workshop.path("backend.sqlite.before-restore/database.sqlite"), "utf8")).toContain(
    "not a",
  );
});

test("a damaged backup is refused, and nothing changes", async () => {
  const file = await backup();
  const bytes = readFileSync(file);
  for (const [name, damaged] of [
    ["cut.zip", bytes.subarray(0, bytes.length - 500)],
    ["flipped.zip", flip(bytes, Math.floor(bytes.length / 2))],
    ["none.zip", Buffer.from("not a zip")],
  ] as const) {
    writeFileSync(workshop.path(name), damaged);
    const ran = await workshop.gleaner(deployment, "restore", workshop.path(name));
    expect([ran.code, ran.output]).toEqual([1, expect.stringContaining("The backup cannot be restored")]);
  }
  expect(await deployment.query("notes:count")).toBe(1);
  expect(existsSync(workshop.path("data.sqlite.restore"))).toBe(false);
});

test("a restore is undone if the backend cannot start with it", async () => {
  const file = await backup();
  const strict = workshop.path("strict");
  cpSync(new URL("../fixtures/convex", import.meta.url), strict, { recursive: true });
  writeFileSync(
    workshop.path("strict/schema.ts"),
    `import { defineSchema, defineTable } from "convex/server"; import { v } from "convex/values";
     export default defineSchema({ notes: defineTable({ never: v.string() }), users: defineTable({ name: v.string() }) });`,
  );
  const other = await workshop.backend("strict", { convexDir: strict });
  await other.mutation("notes:addUser", { name: "present" });
  const ran = await workshop.gleaner(other, "restore", file);
  expect(ran.code).toBe(1);
  expect(ran.output).toMatch(/nothing has changed: .*notes/s);
  expect(await other.query("notes:users")).toMatchObject([{ name: "present" }]);
});

test("backups and restores work during mutations, and no mutation takes effect twice", async () => {
  const client = new ConvexClient(deployment.url);
  const add = makeFunctionReference<"mutation">("notes:add");
  const done: string[] = [];
  let going = true;
  let n = 0;
  const writing = (async () => {
    while (going) {
      const text = `note ${String(n++)}`;
      await client.mutation(add, { author, note: { text } });
      done.push(text);
    }
  })();
  await expect.poll(() => done.length).toBeGreaterThan(20);
  const before = new Set(done);
  const file = await backup();
  await ok(workshop.gleaner(deployment, "restore", file));
  const restored = done.length;
  await expect.poll(() => done.length).toBeGreaterThan(restored + 20);
  going = false;
  await writing;
  await client.close();
  const notes = (await deployment.query("notes:list")) as { text: string }[];
  const texts = notes.map(({ text }) => text);
  expect(new Set(texts).size).toBe(texts.length);
  const missing = (of: Iterable<string>) => [...of].filter((text) => !texts.includes(text));
  expect(missing(before)).toEqual([]);
  expect(missing(done.slice(restored + 1))).toEqual([]);
});

test("gleaner backup and restore print their usage and fail with exit codes", async () => {
  expect((await workshop.gleaner(null, "--help")).output).toContain("restore");
  expect((await workshop.gleaner(null, "backup", "--help")).output).toContain("--json");
  expect((await workshop.gleaner(null, "nothing")).code).toBe(2);
  expect((await workshop.gleaner(null, "restore")).code).toBe(2);
  writeFileSync(workshop.path("backend-url"), "http://127.0.0.1:9");
  expect((await workshop.gleaner(null, "backup")).code).toBe(3);
});

function flip(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 0xff;
  return copy;
}
