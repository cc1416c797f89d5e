import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { publicKeyPattern } from "../../../app/signatures/statements.ts";
import { silentLog } from "../../log.ts";
import { openIdentity, readEnrolledServer } from "./identity.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-identity-"));
  path = join(folder, "device.json");
});
afterEach(() => rm(folder, { recursive: true }));

it("creates a key of 256 bits once, in a file that only its owner can read", async () => {
  const first = await openIdentity(path, silentLog);
  const { deviceKey } = first.current();
  expect(Buffer.from(deviceKey.slice(3), "base64url")).toHaveLength(32);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await openIdentity(path, silentLog)).current().deviceKey).toBe(deviceKey);
});

it("remembers its enrollment", async () => {
  const store = await openIdentity(path, silentLog);
  await store.setEnrollment({ deviceId: "d1", organizationName: "Acme" });
  expect((await openIdentity(path, silentLog)).current().enrollment).toEqual({
    deviceId: "d1",
    organizationName: "Acme",
  });
});

it("remembers its server for a start without arguments, and finds none in a file that is missing or damaged", async () => {
  expect(await readEnrolledServer(folder)).toBeNull();
  const server = "https://office:3210";
  const store = await openIdentity(path, silentLog);
  expect(await readEnrolledServer(folder)).toBeNull();
  await store.setEnrollment({ deviceId: "d1", organizationName: "Acme", server });
  expect(await readEnrolledServer(folder)).toBe(server);
  await writeFile(path, "{");
  expect(await readEnrolledServer(folder)).toBeNull();
  expect(await readFile(path, "utf8")).toBe("{");
});

it("remembers how it trusts its backend", async () => {
  const trust = { pin: `sha256:${"a".repeat(64)}`, insecureHttp: false };
  await (
    await openIdentity(path, silentLog)
  ).setEnrollment({ deviceId: "d1", organizationName: "Acme", trust });
  expect((await openIdentity(path, silentLog)).current().enrollment?.trust).toEqual(trust);
});

it("moves a damaged file aside and creates a new key, which it does not log", async () => {
  await writeFile(path, '{"version":1,"deviceKey":"gd_short"}');
  const logged: string[] = [];
  const store = await openIdentity(path, (...entry) => logged.push(JSON.stringify(entry)));
  expect(store.current().enrollment).toBeNull();
  expect(logged.join()).toContain("identity.corrupt");
  expect(logged.join()).not.toContain(store.current().deviceKey);
  expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ enrolment: null });
});

it("takes the place of a former identity only when it has enrolled, and keeps that one's file", async () => {
  const former = (await openIdentity(path, silentLog)).current().deviceKey;
  const joining = await openIdentity(`${path}.joining`, silentLog, path);
  const { deviceKey } = joining.current();
  await joining.pin({ publicKey: "A".repeat(43), version: 0 });
  expect((await openIdentity(path, silentLog)).current().deviceKey).toBe(former);

  const enrollment = { deviceId: "d2", organizationName: "Acme" };
  await joining.setEnrollment(enrollment);
  await joining.pin({ publicKey: "A".repeat(43), version: 3 });
  const now = (await openIdentity(path, silentLog)).current();
  expect(now).toMatchObject({ deviceKey, enrollment, organizationKey: { version: 3 } });
  const files = await readdir(folder);
  expect(files).toHaveLength(2);
  const left = files.find((file) => file.startsWith("device.json.left-")) ?? "";
  expect(await readFile(join(folder, left), "utf8")).toContain(former);
});

it("tells where a damaged file is now", async () => {
  await writeFile(path, "{");
  expect((await openIdentity(path, silentLog)).damagedFile).toContain("device.json.corrupt-");
  expect((await openIdentity(path, silentLog)).damagedFile).toBeNull();
});

it("creates a signing key once, also for a file that has none, and keeps the device's key", async () => {
  const deviceKey = `gd_${"a".repeat(43)}`;
  await writeFile(path, JSON.stringify({ version: 1, deviceKey, enrolment: null }));
  const first = (await openIdentity(path, silentLog)).current();
  expect(first.deviceKey).toBe(deviceKey);
  expect(first.signer.publicKey).toMatch(publicKeyPattern);
  const again = (await openIdentity(path, silentLog)).current();
  expect(again.signer.publicKey).toBe(first.signer.publicKey);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

it.each([
  "",
  "AAAA",
  generateKeyPairSync("x25519").privateKey.export({ format: "der", type: "pkcs8" }).toString("base64url"),
])("takes a file with the signing key %j as damaged", async (signingKey) => {
  const deviceKey = `gd_${"a".repeat(43)}`;
  await writeFile(path, JSON.stringify({ version: 1, deviceKey, signingKey, enrolment: null }));
  expect((await openIdentity(path, silentLog)).current().deviceKey).not.toBe(deviceKey);
});

it("keeps the organization's pinned key, even if it is written together with the enrollment", async () => {
  const store = await openIdentity(path, silentLog);
  const key = { publicKey: "A".repeat(43), version: 7 };
  const enrollment = { deviceId: "d1", organizationName: "Acme" };
  await Promise.all([store.pin({ ...key, version: 6 }), store.setEnrollment(enrollment), store.pin(key)]);
  const again = (await openIdentity(path, silentLog)).current();
  expect(again).toMatchObject({ enrollment, organizationKey: key });
});
