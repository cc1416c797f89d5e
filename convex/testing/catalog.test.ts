import { verify } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { catalogStatement, handoverStatement, piecesText } from "../../app/signatures/catalog.ts";
import { api, internal } from "../_generated/api.js";
import {
  addDevice,
  addOrganization,
  type Backend,
  type Device,
  expectRefusal,
  modelId,
  type Organization,
  price,
  secret,
  signIn,
  startBackend,
} from "./backend.fixture.ts";
import { hashText } from "./signing.fixture.ts";

const [secretA, secretB] = ["A".repeat(43), "B".repeat(43)];
const setKey = (present: string, previous = ""): void => {
  vi.stubEnv("GLEANER_SIGNING_KEY", present);
  vi.stubEnv("GLEANER_SIGNING_KEY_PREVIOUS", previous);
};

let t: Backend;
let acme: Organization;
let device: Device;
let session: string;

/** Opens an organization on a backend with this signing key; "" for none. */
async function open(key: string): Promise<void> {
  setKey(key);
  t = startBackend();
  acme = await addOrganization(t);
  device = await addDevice(t, acme);
  session = await signIn(t, acme);
}

beforeEach(() => open(secretA));
afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

const me = async () => await t.query(api.devices.me, { key: device.key });
const signAll = async (how?: "renew" | "force") =>
  (await t.mutation(internal.setup.signCatalogs, how === undefined ? {} : { how })).map(
    ({ outcome }) => outcome,
  );

const pieces = { pieceBytes: 65_536, pieceHashes: ["cd".repeat(32)] };
const entry = {
  modelId: "other",
  source: "https://models.example/other.gguf",
  sha256: "ef".repeat(32),
  sizeBytes: 1_000,
  licence: "MIT",
  contextTokens: 512,
  template: null,
  pieces,
};
const add = async () => await t.mutation(api.console.models.add, { session, entry, price });

function isSigned(publicKey: string, signature: string, text: string): boolean {
  const key = { key: { kty: "OKP", crv: "Ed25519", x: publicKey }, format: "jwk" as const };
  return verify(null, Buffer.from(text), key, Buffer.from(signature, "base64url"));
}

/** Whether the models that the device gets are those that the organization's key signed. */
async function isGenuine(): Promise<boolean> {
  const { organization, models, catalog } = await me();
  if (catalog === null) return false;
  const text = catalogStatement(organization.id, catalog.version, models);
  return isSigned(catalog.publicKey, catalog.signature, text);
}

describe("a signed catalog", () => {
  it("is signed from the start and after each change, with growing versions", async () => {
    const versions = [(await me()).catalog?.version ?? 0];
    const step = async (change: Promise<unknown>): Promise<void> => {
      await change;
      expect(await isGenuine()).toBe(true);
      versions.push((await me()).catalog?.version ?? 0);
    };
    await step(add());
    await step(
      t.mutation(api.console.models.change, { session, modelId: "other", change: { contextTokens: 99 } }),
    );
    await step(t.mutation(api.console.models.retire, { session, modelId }));
    await step(t.mutation(api.console.models.reinstate, { session, modelId }));
    expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
  });

  it("covers the hashes of pieces", async () => {
    await add();
    const { models } = await me();
    const hash = hashText(piecesText(pieces));
    expect(models.find((model) => model.modelId === "other")).toMatchObject({ piecesHash: hash });
    expect(await t.query(api.devices.modelPieces, { key: device.key, sha256: entry.sha256 })).toEqual(pieces);
  });

  it("gives its public key at the enrollment and in the console", async () => {
    const publicKey = (await me()).catalog?.publicKey;
    expect(publicKey).toMatch(/^[\w-]{43}$/);
    const args = { code: "", key: device.key, name: "again", platform: "linux" };
    expect(await t.mutation(api.devices.enroll, args)).toMatchObject({ organizationKey: publicKey });
    expect(await t.query(api.console.models.signingKey, { session })).toBe(publicKey);
  });

  it("has another key in each organization, and no private key in the database", async () => {
    const beta = await addOrganization(t, { name: "Beta" });
    const theirs = await t.query(api.devices.me, { key: (await addDevice(t, beta)).key });
    expect(theirs.catalog?.publicKey).not.toBe((await me()).catalog?.publicKey);
    const rows = await t.run(async (ctx) => await ctx.db.query("catalogSignatures").collect());
    expect(JSON.stringify(rows)).not.toContain(secretA);
  });

  it.each([
    "source",
    "sha256",
    "sizeBytes",
    "licence",
    "contextTokens",
    "template",
    "piecesHash",
    "modelId",
  ] as const)(
    "is not genuine after a change of %s in the database, and the backend does not sign that change",
    async (field) => {
      await add();
      await t.run(async (ctx) => {
        const row = (await ctx.db.query("models").collect()).find((one) => one.modelId === "other");
        if (row === undefined) throw new Error("no model");
        await ctx.db.patch("models", row._id, { [field]: typeof row[field] === "number" ? 7 : "changed" });
      });
      expect(await isGenuine()).toBe(false);
      await expectRefusal(t.mutation(api.console.models.retire, { session, modelId }), "conflict");
      expect(await signAll()).toEqual(["changed-outside"]);
      expect(await signAll("renew")).toEqual(["changed-outside"]);
      expect(await signAll("force")).toEqual(["signed"]);
      expect(await isGenuine()).toBe(true);
    },
  );

  it("is not genuine after a model was added or brought back in the database", async () => {
    await add();
    await t.mutation(api.console.models.retire, { session, modelId: "other" });
    expect(await isGenuine()).toBe(true);
    await t.run(async (ctx) => {
      for (const { _id } of await ctx.db.query("models").collect())
        await ctx.db.patch("models", _id, { enabled: true });
    });
    expect(await isGenuine()).toBe(false);
    await expectRefusal(
      t.mutation(api.console.models.change, { session, modelId, change: { contextTokens: 9 } }),
      "conflict",
    );
  });

  it("does not use a version again after a backup was restored", async () => {
    vi.useFakeTimers({ now: 1_800_000_000_000 });
    await open(secretA);
    const backup = await t.run(async (ctx) => await ctx.db.query("catalogSignatures").first());
    vi.advanceTimersByTime(1_000);
    await add();
    const before = (await me()).catalog?.version ?? Infinity;
    await t.run(async (ctx) => {
      if (backup === null) throw new Error("no backup");
      await ctx.db.patch("catalogSignatures", backup._id, {
        version: backup.version,
        signature: backup.signature,
      });
      const added = (await ctx.db.query("models").collect()).find((one) => one.modelId === "other");
      if (added !== undefined) await ctx.db.delete("models", added._id);
    });
    vi.advanceTimersByTime(1_000);
    expect(await signAll("renew")).toEqual(["signed"]);
    expect((await me()).catalog?.version).toBeGreaterThan(before);
  });
});

describe("the key of a catalog", () => {
  it("hands over to a new key if the old one signs it", async () => {
    const old = (await me()).catalog?.publicKey ?? "";
    setKey(secretB, secretA);
    expect(await signAll()).toEqual(["rotated"]);
    expect(await signAll()).toEqual(["unchanged"]);
    const { organization, catalog } = await me();
    const { publicKey = "", handovers = [] } = catalog ?? {};
    expect(publicKey).not.toBe(old);
    expect(handovers).toMatchObject([{ from: old, to: publicKey }]);
    const text = handoverStatement(organization.id, old, publicKey);
    expect(isSigned(old, handovers[0]?.signature ?? "", text)).toBe(true);
    expect(await isGenuine()).toBe(true);
    setKey(secretB);
    await add();
    expect(await isGenuine()).toBe(true);
  });

  it.each([
    ["is gone", ""],
    ["is another one", secretB],
  ])("is needed for a change: if it %s, devices keep the catalog", async (_, key) => {
    setKey(key);
    await expectRefusal(add(), "conflict");
    expect(await isGenuine()).toBe(true);
    expect(await signAll()).toEqual(["other-key"]);
    expect(await signAll("renew")).toEqual(["other-key"]);
  });

  it("replaces a lost one if the operator forces it, without a handover", async () => {
    setKey(secretB);
    expect(await signAll("force")).toEqual(["signed"]);
    expect((await me()).catalog?.handovers).toEqual([]);
    expect(await isGenuine()).toBe(true);
  });

  it("must be 32 bytes", async () => {
    setKey(secret("").slice(0, 42));
    await expectRefusal(add(), "invalid");
  });
});

describe("a backend without a signing key", () => {
  it("changes unsigned catalogs, and signs them once it has a key", async () => {
    await open("");
    await add();
    expect((await me()).catalog).toBeNull();
    expect(await t.query(api.console.models.signingKey, { session })).toBeNull();
    expect(await signAll()).toEqual(["no-key"]);
    // A model of an earlier version has no hash of its pieces.
    await t.run(async (ctx) => {
      const row = (await ctx.db.query("models").collect()).find((one) => one.modelId === "other");
      if (row !== undefined) await ctx.db.patch("models", row._id, { piecesHash: undefined });
    });
    setKey(secretA);
    expect(await signAll()).toEqual(["signed"]);
    expect(await isGenuine()).toBe(true);
    const hash = hashText(piecesText(pieces));
    expect((await me()).models.find((model) => model.modelId === "other")?.piecesHash).toBe(hash);
  });
});
