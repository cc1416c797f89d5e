import { createCipheriv, createDecipheriv, generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { publicKeyPattern } from "../../../app/signatures/statements.ts";
import { silentLog } from "../../log.ts";
import { openIdentity, readEnrolledServer, SealedKeyRefusal } from "./identity.ts";
import type { KeyVault } from "./key-vault.ts";
import { openTrustedIdentity } from "./trusted-identity.ts";

/** Without a keychain. */
const plain = { vault: null, log: silentLog };

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-identity-"));
  path = join(folder, "device.json");
});
afterEach(() => rm(folder, { recursive: true }));

it("creates a key of 256 bits once, in a file that only its owner can read", async () => {
  const first = await openIdentity(path, plain);
  const { deviceKey } = first.current();
  expect(Buffer.from(deviceKey.slice(3), "base64url")).toHaveLength(32);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await openIdentity(path, plain)).current().deviceKey).toBe(deviceKey);
});

it("remembers its enrollment", async () => {
  const store = await openIdentity(path, plain);
  await store.setEnrollment({ deviceId: "d1", organizationName: "Acme" });
  expect((await openIdentity(path, plain)).current().enrollment).toEqual({
    deviceId: "d1",
    organizationName: "Acme",
  });
});

it("remembers its server for a start without arguments, and finds none in a file that is missing or damaged", async () => {
  expect(await readEnrolledServer(folder)).toBeNull();
  const server = "https://office:3210";
  const store = await openIdentity(path, plain);
  expect(await readEnrolledServer(folder)).toBeNull();
  await store.setEnrollment({ deviceId: "d1", organizationName: "Acme", server });
  expect(await readEnrolledServer(folder)).toBe(server);
  await writeFile(path, "{");
  expect(await readEnrolledServer(folder)).toBeNull();
  expect(await readFile(path, "utf8")).toBe("{");
});

it("remembers how it trusts its backend", async () => {
  const trust = { pin: `sha256:${"a".repeat(64)}`, insecureHttp: false };
  await (await openIdentity(path, plain)).setEnrollment({ deviceId: "d1", organizationName: "Acme", trust });
  expect((await openIdentity(path, plain)).current().enrollment?.trust).toEqual(trust);
});

it("moves a damaged file aside and creates a new key, which it does not log", async () => {
  await writeFile(path, '{"version":1,"deviceKey":"gd_short"}');
  const logged: string[] = [];
  const store = await openIdentity(path, {
    vault: null,
    log: (...entry) => logged.push(JSON.stringify(entry)),
  });
  expect(store.current().enrollment).toBeNull();
  expect(logged.join()).toContain("identity.corrupt");
  expect(logged.join()).not.toContain(store.current().deviceKey);
  expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ enrolment: null });
});

it("takes the place of a former identity only when it has enrolled, and keeps that one's file", async () => {
  const former = (await openIdentity(path, plain)).current().deviceKey;
  const joining = await openIdentity(`${path}.joining`, { ...plain, replaces: path });
  const { deviceKey } = joining.current();
  await joining.pin({ publicKey: "A".repeat(43), version: 0 });
  expect((await openIdentity(path, plain)).current().deviceKey).toBe(former);

  const enrollment = { deviceId: "d2", organizationName: "Acme" };
  await joining.setEnrollment(enrollment);
  await joining.pin({ publicKey: "A".repeat(43), version: 3 });
  const now = (await openIdentity(path, plain)).current();
  expect(now).toMatchObject({ deviceKey, enrollment, organizationKey: { version: 3 } });
  const files = await readdir(folder);
  expect(files).toHaveLength(2);
  const left = files.find((file) => file.startsWith("device.json.left-")) ?? "";
  expect(await readFile(join(folder, left), "utf8")).toContain(former);
});

it("tells where a damaged file is now", async () => {
  await writeFile(path, "{");
  expect((await openIdentity(path, plain)).damagedFile).toContain("device.json.corrupt-");
  expect((await openIdentity(path, plain)).damagedFile).toBeNull();
});

it("creates a signing key once, also for a file that has none, and keeps the device's key", async () => {
  const deviceKey = `gd_${"a".repeat(43)}`;
  await writeFile(path, JSON.stringify({ version: 1, deviceKey, enrolment: null }));
  const first = (await openIdentity(path, plain)).current();
  expect(first.deviceKey).toBe(deviceKey);
  expect(first.signer.publicKey).toMatch(publicKeyPattern);
  const again = (await openIdentity(path, plain)).current();
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
  expect((await openIdentity(path, plain)).current().deviceKey).not.toBe(deviceKey);
});

it("keeps the organization's pinned key, even if it is written together with the enrollment", async () => {
  const store = await openIdentity(path, plain);
  const key = { publicKey: "A".repeat(43), version: 7 };
  const enrollment = { deviceId: "d1", organizationName: "Acme" };
  await Promise.all([store.pin({ ...key, version: 6 }), store.setEnrollment(enrollment), store.pin(key)]);
  const again = (await openIdentity(path, plain)).current();
  expect(again).toMatchObject({ enrollment, organizationKey: key });
});

describe("with a keychain", () => {
  /** Encrypts with a key of its own, as a keychain does. */
  function keychain(): KeyVault {
    const key = randomBytes(32);
    return {
      seal: async (text) => {
        const cipher = createCipheriv("aes-256-gcm", key, Buffer.alloc(12));
        const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
        return Buffer.concat([cipher.getAuthTag(), sealed]).toString("base64");
      },
      open: async (sealed) => {
        const bytes = Buffer.from(sealed, "base64");
        const decipher = createDecipheriv("aes-256-gcm", key, Buffer.alloc(12));
        decipher.setAuthTag(bytes.subarray(0, 16));
        return Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]).toString("utf8");
      },
    };
  }

  const sealing = (vault: KeyVault) => ({ vault, log: silentLog });
  const enrollment = { deviceId: "d1", organizationName: "Acme", server: "https://office:3210" };

  it("has no secret in its file, and the same keys after a restart", async () => {
    const vault = keychain();
    const store = await openIdentity(path, sealing(vault));
    await store.setEnrollment(enrollment);
    const { deviceKey, signer } = store.current();
    const text = await readFile(path, "utf8");
    expect(store.keyStorage).toBe("keychain");
    expect(text).not.toContain(deviceKey);
    expect(text).not.toMatch(/deviceKey|signingKey/);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const again = (await openIdentity(path, sealing(vault))).current();
    expect(again).toMatchObject({ deviceKey, enrollment });
    expect(again.signer.publicKey).toBe(signer.publicKey);
    expect(await readEnrolledServer(folder)).toBe(enrollment.server);
  });

  it("encrypts keys that were stored plain, at the next start", async () => {
    const before = await openIdentity(path, plain);
    await before.setEnrollment(enrollment);
    expect(before.keyStorage).toBe("file");
    const { deviceKey } = before.current();
    expect(await readFile(path, "utf8")).toContain(deviceKey);
    const store = await openIdentity(path, sealing(keychain()));
    expect(store.current()).toMatchObject({ deviceKey, enrollment });
    expect(await readFile(path, "utf8")).not.toContain(deviceKey);
    expect(await readdir(folder)).toEqual(["device.json"]);
  });

  it("keeps the file and says what to do, without the keychain or with another one", async () => {
    const vault = keychain();
    await (await openIdentity(path, sealing(vault))).setEnrollment(enrollment);
    const text = await readFile(path, "utf8");
    const refused = await openIdentity(path, plain).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SealedKeyRefusal);
    expect(refused).toMatchObject({ enrollment, message: expect.stringContaining("--rejoin") as string });
    const other = await openIdentity(path, sealing(keychain())).catch((error: unknown) => error);
    expect(other).toMatchObject({ message: expect.stringContaining("cannot decrypt") as string });
    expect(await readFile(path, "utf8")).toBe(text);
    expect((await openIdentity(path, sealing(vault))).current()).toMatchObject({ enrollment });
  });

  it("stays plain if the keychain fails", async () => {
    const failing: KeyVault = {
      seal: () => Promise.reject(new Error("locked")),
      open: () => Promise.reject(new Error("locked")),
    };
    const store = await openIdentity(path, sealing(failing));
    expect(store.keyStorage).toBe("file");
    expect((await openIdentity(path, plain)).current().deviceKey).toBe(store.current().deviceKey);
  });

  it("lets a device join again elsewhere without the former key, and keeps that one's file", async () => {
    await (await openIdentity(path, sealing(keychain()))).setEnrollment(enrollment);
    const sealed = await readFile(path, "utf8");
    const given = {
      url: "http://127.0.0.1:3210",
      pin: null,
      insecureHttp: false,
      hasCode: true,
      rejoin: true,
    };
    await expect(openTrustedIdentity(path, { ...given, rejoin: false }, plain)).rejects.toThrow(
      SealedKeyRefusal,
    );
    const { identity } = await openTrustedIdentity(path, given, plain);
    expect(identity.current().enrollment).toBeNull();
    expect(await readFile(path, "utf8")).toBe(sealed);
    await identity.setEnrollment({ deviceId: "d2", organizationName: "Beta" });
    expect((await openIdentity(path, plain)).current().enrollment?.deviceId).toBe("d2");
    const left = (await readdir(folder)).find((file) => file.startsWith("device.json.left-")) ?? "";
    expect(await readFile(join(folder, left), "utf8")).toBe(sealed);
  });
});
