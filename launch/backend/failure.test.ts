import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startChild } from "../core/child.ts";
import { type DataFolder, openDataFolder } from "../core/data-folder.ts";
import { explain, LaunchError } from "../core/launch-error.ts";
import { paths, root } from "../core/paths.ts";
import { makeSecret } from "../organization/secrets.ts";
import { startBackend } from "./backend.ts";
import { backendFailure } from "./failure.ts";

let scratch: string;
let folder: DataFolder;
const adminKey = makeSecret("gleaner|");

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), "gleaner-upgrade-"));
  folder = await openDataFolder(join(scratch, "data"));
});

afterEach(async () => {
  await rm(scratch, { recursive: true, force: true });
});

/** Functions of another version, in which an organization's name is a number. */
async function otherVersion(): Promise<string> {
  const convex = join(scratch, "convex");
  await mkdir(convex);
  await symlink(join(root, "node_modules"), join(scratch, "node_modules"));
  await writeFile(
    join(convex, "schema.ts"),
    `import { defineSchema, defineTable } from "convex/server";
     import { v } from "convex/values";
     export default defineSchema({ organizations: defineTable({ name: v.number(), createdAt: v.number() }) });`,
  );
  await writeFile(
    join(convex, "notes.ts"),
    `import { mutationGeneric } from "convex/server";
     export const add = mutationGeneric({
       args: {},
       handler: async (ctx) => { await ctx.db.insert("organizations", { name: 7, createdAt: 0 }); return null; },
     });`,
  );
  return convex;
}

async function writeAsOtherVersion(): Promise<void> {
  const child = await startChild({
    name: "other-version",
    command: process.execPath,
    args: [
      ...[paths.backendEntry, "--convex", await otherVersion(), "--data", folder.dataFile],
      ...["--port", "0", "--site-port", "0", "--with-parent"],
    ],
    env: { CONVEX_EMBEDDED_ADMIN_KEY: adminKey },
    logFile: join(scratch, "other.log"),
    readyWithinMs: 60_000,
  });
  const response = await fetch(`${String(child.ready["url"])}/api/mutation`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ path: "notes:add", args: {}, format: "json" }),
  });
  expect(await response.json()).toMatchObject({ status: "success" });
  await child.stop();
}

it("says which data of another version does not fit and what to do, without a stack", async () => {
  await writeAsOtherVersion();
  const options = { host: "127.0.0.1", port: 0, sitePort: 0, console: false };
  const failure: unknown = await startBackend(folder, adminKey, options).then(
    () => null,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(LaunchError);
  const said = explain(failure);
  expect(said).toContain(folder.path);
  expect(said).toContain('the field "name" of the table "organizations" does not fit');
  expect(said).toContain("GLEANER_DATA=");
  expect(said).not.toMatch(/\n\s+at /);
});

it("says which port is taken, and shows the last output of any other failure", () => {
  const report = { ready: false, error: "PortInUseError", takenPort: 3_211 } as const;
  expect(backendFailure(report, "", folder).message).toContain("3211");
  const other = backendFailure(null, "first\nlast words", folder);
  expect(other.message).toContain("last words");
  expect(other.remedy).toContain("backend.log");
});
