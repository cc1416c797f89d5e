import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { prepareRestore } from "@gleaner/embedded/operator";
import { ConvexHttpClient } from "convex/browser";
import { afterAll, beforeAll, expect, test } from "vitest";
import { api } from "../../convex/_generated/api.js";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";
import { makeEnrollmentCode, makeSecret } from "../../launch/organization/secrets.ts";

const root = resolve(import.meta.dirname, "../..");
const sha256 = (secret: string): string => createHash("sha256").update(secret).digest("hex");

let farm: Farm;
let client: ConvexHttpClient;
let backup: string;

beforeAll(async () => {
  farm = await startFarm();
  client = new ConvexHttpClient(farm.backend.url, { logger: false });
  backup = join(farm.folder.path, "yesterday.zip");
});
afterAll(() => farm.close());

/** Runs `gleaner …` on the farm's deployment. */
const gleaner = (...args: readonly string[]): Promise<string> => gleanerOn(farm, ...args);

function gleanerOn({ backend }: Farm, ...args: readonly string[]): Promise<string> {
  const env = { ...process.env, GLEANER_ADMIN_KEY: backend.adminKey };
  const all = [join(root, "cli/gleaner.ts"), ...args, "--url", backend.url];
  return new Promise((done, failed) => {
    execFile(process.execPath, all, { env, timeout: 120_000 }, (error, out, err) =>
      error === null ? done(out + err) : failed(new Error(err)),
    );
  });
}

/** Sets a variable of the deployment, as `npx convex env set` does. */
async function setVariable({ backend }: Farm, name: string, value: string): Promise<void> {
  const response = await fetch(`${backend.url}/api/update_environment_variables`, {
    method: "POST",
    headers: { authorization: `Convex ${backend.adminKey}`, "content-type": "application/json" },
    body: JSON.stringify({ changes: [{ name, value }] }),
  });
  expect(response.status).toBe(200);
}

async function signIn(token: string) {
  const session = makeSecret("gs_");
  return { session, outcome: await client.mutation(api.console.account.signIn, { token, session }) };
}

const newLink = (): Promise<string> => farm.setup.makeSignInToken(farm.organization.organizationId);

async function statusWith(apiKey: string): Promise<number> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const response = await fetch(`${farm.backend.siteUrl}/v1/models`, { headers });
  await response.body?.cancel();
  return response.status;
}

async function enroll(code: string, key = makeSecret("gd_")) {
  const outcome = await client.mutation(api.devices.enroll, { code, key, name: "laptop", platform: "test" });
  return { key, outcome };
}
test("a restore keeps what was revoked, used or retired since the backup, and ends all sessions", async () => {
  const { apiKey } = farm.organization;
  const link = await newLink();
  const { session } = await signIn(await newLink());
  const code = makeEnrollmentCode();
  const { codeId } = await client.mutation(api.console.codes.create, {
    session,
    codeHash: sha256(code),
    label: "Lab",
    uses: 5,
  });
  const good = await enroll(code);
  const lost = await enroll(code);
  const catalog = async () => (await client.query(api.devices.me, { key: good.key })).catalog;
  const signed = await catalog();
  await gleaner("backup", backup);

  // This morning: a leak was found.
  for (const { keyId } of await client.query(api.console.keys.names, { session })) {
    await client.mutation(api.console.keys.revoke, { session, keyId });
  }
  await client.mutation(api.console.codes.revoke, { session, codeId });
  const { deviceId } = await client.query(api.devices.me, { key: lost.key });
  await client.mutation(api.console.devices.retire, { session, deviceId });
  expect((await signIn(link)).outcome.kind).toBe("signed-in");

  const said = await gleaner("restore", backup);

  expect(await statusWith(apiKey)).toBe(401);
  expect((await signIn(link)).outcome).toEqual({ kind: "refused", reason: "used" });
  expect((await enroll(code)).outcome).toEqual({ kind: "refused", reason: "revoked" });
  expect(await client.query(api.devices.me, { key: lost.key })).toMatchObject({ status: "retired" });
  expect(await client.query(api.devices.me, { key: good.key })).toMatchObject({ status: "active" });
  expect(await client.query(api.console.account.me, { session })).toBeNull();
  expect(said).toContain("since the backup stay so");
  // Devices refuse a catalog that is older than one they have seen, so the restored one is signed again.
  expect((await catalog())?.version).toBeGreaterThan(signed?.version ?? Infinity);
  const again = await signIn(await newLink());
  const paginationOpts = { numItems: 10, cursor: null };
  const { page } = await client.query(api.console.audit.list, { session: again.session, paginationOpts });
  expect(page.map(({ action }) => action)).toContain("backup.restored");

  // Undoing the restore keeps, in the same way, what was revoked since the restore.
  await client.mutation(api.console.devices.retire, {
    session: again.session,
    deviceId: (await client.query(api.devices.me, { key: good.key })).deviceId,
  });
  await gleaner("restore", "--undo");
  expect(await client.query(api.devices.me, { key: good.key })).toMatchObject({ status: "retired" });
  expect(await statusWith(apiKey)).toBe(401);
});

test("with --revoke-all, nothing that the backup brings back is valid", async () => {
  const other = await startFarm();
  const client = new ConvexHttpClient(other.backend.url, { logger: false });
  const link = await other.setup.makeSignInToken(other.organization.organizationId);
  const code = await other.setup.issueEnrollmentCode(other.organization.organizationId, "lab");
  const key = makeSecret("gd_");
  await client.mutation(api.devices.enroll, { code, key, name: "laptop", platform: "test" });
  const file = join(other.folder.path, "backup.zip");
  const operate = (...args: readonly string[]) => gleanerOn(other, ...args);
  try {
    await operate("backup", file);
    const said = await operate("restore", file, "--revoke-all");
    expect(said).toMatch(
      /Revoked \d+ API keys?, 1 device, \d+ enrollment codes?, \d+ sign-in links?, 0 metrics tokens\./,
    );
    expect(said).toContain("gleaner sign-in-link");
    expect(said).toContain("its next start prints a new one");
    expect(await client.query(api.devices.me, { key })).toMatchObject({ status: "retired" });
    const headers = { authorization: `Bearer ${other.organization.apiKey}` };
    expect((await fetch(`${other.backend.siteUrl}/v1/models`, { headers })).status).toBe(401);
    const session = makeSecret("gs_");
    expect(await client.mutation(api.console.account.signIn, { token: link, session })).toMatchObject({
      reason: "used",
    });
    const enroll = { code, key: makeSecret("gd_"), name: "laptop", platform: "test" };
    expect(await client.mutation(api.devices.enroll, enroll)).toMatchObject({ kind: "refused" });
    expect(said).toContain(
      "`gleaner restore --undo` goes back to it, but what is revoked now stays revoked.",
    );
    await operate("restore", "--undo");
    expect(await client.query(api.devices.me, { key })).toMatchObject({ status: "retired" });
    expect((await fetch(`${other.backend.siteUrl}/v1/models`, { headers })).status).toBe(401);
    await expect(operate("restore", "--undo", "--revoke-all")).rejects.toThrow("needs a backup");

    // A malformed key could not sign the restored catalog, so nothing changes.
    await setVariable(other, "GLEANER_SIGNING_KEY", "too short");
    await operate("backup", `${file}.zip`);
    await expect(operate("restore", `${file}.zip`)).rejects.toThrow(
      /nothing has changed: .*GLEANER_SIGNING_KEY must be 32 random bytes in base64url/,
    );
  } finally {
    await other.close();
  }
});

test("over data that cannot be read, a restore says that revocations since the backup are unknown", async () => {
  const other = await startFarm();
  try {
    const client = new ConvexHttpClient(other.backend.url, { logger: false });
    const { dataFile } = other.folder;
    await other.backend.child.stop();
    await writeFile(dataFile, "not a database at all, however long it is".repeat(300));
    for (const end of ["-wal", "-shm"]) await rm(`${dataFile}${end}`, { force: true });
    await prepareRestore(dataFile, backup, "b1");
    await other.restartBackend("crash");
    const response = await fetch(`${other.backend.url}/api/embedded/restore`, {
      headers: { authorization: `Convex ${other.backend.adminKey}` },
    });
    expect(await response.json()).toMatchObject({ kind: "done", carried: "unknown" });
    const session = makeSecret("gs_");
    const token = await other.setup.makeSignInToken(farm.organization.organizationId);
    await client.mutation(api.console.account.signIn, { token, session });
    const paginationOpts = { numItems: 10, cursor: null };
    const { page } = await client.query(api.console.audit.list, { session, paginationOpts });
    expect(page.find(({ action }) => action === "backup.restored")?.detail).toContain("could not be read");
  } finally {
    await other.close();
  }
});
