import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import {
  catalogStatement,
  type Handover,
  handoverStatement,
  piecesText,
} from "../../../app/signatures/catalog.ts";
import { CatalogTrust, type OfferedCatalog, type PinnedKey } from "./catalog-trust.ts";
import { sha256 } from "./signer.ts";

type Key = { readonly publicKey: string; readonly privateKey: KeyObject };

function makeKey(): Key {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  return { publicKey: publicKey.export({ format: "jwk" }).x ?? "", privateKey };
}

const signText = ({ privateKey }: Key, text: string): string =>
  sign(null, Buffer.from(text), privateKey).toString("base64url");

const pieces = { pieceBytes: 65_536, pieceHashes: ["cd".repeat(32)] };
const model = {
  modelId: "m",
  source: "https://models.example/m.gguf",
  sha256: "ab".repeat(32),
  sizeBytes: 10,
  licence: "MIT",
  contextTokens: 64,
  template: null,
  piecesHash: sha256(piecesText(pieces)),
};
const other = { ...model, modelId: "n", sha256: "ef".repeat(32), piecesHash: null };
const [first, second, third] = [makeKey(), makeKey(), makeKey()];

let pinned: PinnedKey | null;
let logged: string[];
let trust: CatalogTrust;

beforeEach(() => {
  [pinned, logged] = [null, []];
  trust = new CatalogTrust({
    pinned: () => pinned,
    pin: (key) => (pinned = key),
    log: (_level, event) => logged.push(event),
  });
});

function signed(
  key: Key,
  version: number,
  models: OfferedCatalog["models"] = [model],
  handovers: readonly Handover[] = [],
  organizationId = "o",
) {
  const signature = signText(key, catalogStatement(organizationId, version, models));
  return { organizationId, models, signature: { publicKey: key.publicKey, version, signature, handovers } };
}

function handover(from: Key, to: Key, signer = from, organizationId = "o"): Handover {
  const [a, b] = [from.publicKey, to.publicKey];
  return { from: a, to: b, signature: signText(signer, handoverStatement(organizationId, a, b)) };
}

describe("a device that has pinned a key", () => {
  beforeEach(() => {
    expect(trust.judge(signed(first, 5))).toEqual([model]);
    expect(pinned).toEqual({ publicKey: first.publicKey, version: 5 });
  });

  it("accepts a newer catalog of this key, in whatever order its models come", () => {
    const newer = signed(first, 6, [model, other]);
    expect(trust.judge({ ...newer, models: [other, model] })).toEqual([other, model]);
    expect(pinned).toEqual({ publicKey: first.publicKey, version: 6 });
    expect(trust.problem).toBeNull();
  });

  it.each<[string, (good: ReturnType<typeof signed>) => OfferedCatalog]>([
    ["has no signature", (good) => ({ ...good, signature: null })],
    ["has a malformed signature", (good) => ({ ...good, signature: { ...good.signature, version: "6" } })],
    ["has another model", (good) => ({ ...good, models: [...good.models, other] })],
    ["lacks a model", (good) => ({ ...good, models: [] })],
    ["is of another organization", (good) => ({ ...good, organizationId: "p" })],
    ["has a changed version", (good) => ({ ...good, signature: { ...good.signature, version: 7 } })],
    ["is signed with another key", () => signed(second, 6)],
    [
      "names the pinned key but is signed with another",
      () => ({
        ...signed(second, 6),
        signature: { ...signed(second, 6).signature, publicKey: first.publicKey },
      }),
    ],
    ["is older", () => signed(first, 4)],
    [
      "has a handover that another key signed",
      () => signed(second, 6, [model], [handover(first, second, second)]),
    ],
    [
      "has a handover of another organization",
      () => signed(second, 6, [model], [handover(first, second, first, "p")]),
    ],
    ["has a handover to another key", () => signed(second, 6, [model], [handover(first, third)])],
  ])("keeps its models if a catalog %s", (_, change) => {
    expect(trust.judge(change(signed(first, 6, [other])))).toEqual([model]);
    expect(trust.problem).not.toBeNull();
    expect(pinned).toEqual({ publicKey: first.publicKey, version: 5 });
    expect(logged).toEqual(["catalog.refused"]);
    expect(trust.judge(signed(first, 6))).toEqual([model]);
    expect(trust.problem).toBeNull();
  });

  it.each(Object.keys(model) as (keyof typeof model)[])("refuses a catalog whose %s was changed", (field) => {
    const changed = { ...model, [field]: typeof model[field] === "number" ? 11 : `${String(model[field])}x` };
    expect(trust.judge({ ...signed(first, 6), models: [changed] })).toEqual([model]);
    expect(trust.problem).toContain("failed the check of its signature");
  });

  it("follows the key through handovers, also through several at once", () => {
    const chain = [handover(first, second), handover(second, third)];
    expect(trust.judge(signed(third, 6, [other], chain))).toEqual([other]);
    expect(pinned).toEqual({ publicKey: third.publicKey, version: 6 });
    expect(trust.judge(signed(first, 7, [model], chain))).toEqual([other]);
    expect(trust.judge(signed(third, 7, [model], chain))).toEqual([model]);
  });

  it("does not skip a link of the chain", () => {
    expect(trust.judge(signed(third, 6, [other], [handover(second, third)]))).toEqual([model]);
    const forged = [handover(first, second, third), handover(second, third)];
    expect(trust.judge(signed(third, 6, [other], forged))).toEqual([model]);
  });

  it("takes only the hashes of pieces that the catalog names", () => {
    expect(trust.accepts(model.sha256, pieces)).toBe(true);
    expect(trust.accepts(other.sha256, pieces)).toBe(false);
    expect(trust.accepts(model.sha256, { ...pieces, pieceHashes: ["ef".repeat(32)] })).toBe(false);
    expect(trust.accepts(model.sha256, { ...pieces, pieceBytes: 131_072 })).toBe(false);
  });

  it("shows the part of the key that people compare", () => {
    expect(trust.fingerprint).toBe((first.publicKey.slice(0, 20).match(/.{4}/g) ?? []).join(" "));
  });
});

it("a device without a pinned key accepts unsigned models and pins the first key that it sees", () => {
  const unsigned = { organizationId: "o", models: [other], signature: null };
  expect(trust.judge(unsigned)).toEqual([other]);
  expect(trust.accepts(other.sha256, pieces)).toBe(true);
  expect(trust.fingerprint).toBeNull();
  expect(trust.judge(signed(first, 1))).toEqual([model]);
  expect(pinned?.publicKey).toBe(first.publicKey);
  expect(trust.judge(unsigned)).toEqual([model]);
});

it("a device with a pinned key has no models before it got a signed catalog", () => {
  pinned = { publicKey: first.publicKey, version: 0 };
  expect(trust.judge({ organizationId: "o", models: [model], signature: null })).toEqual([]);
  expect(trust.problem).toMatch(/not signed anymore\. This computer has no models .* works on nothing/);
  expect(trust.problem).not.toContain("keeps");
  expect(trust.judge(signed(first, 1))).toEqual([model]);
  trust.judge({ organizationId: "o", models: [model], signature: null });
  expect(trust.problem).toContain("keeps the last list that it accepted");
});

it("accepts an empty list without a signature, which a device out of service gets", () => {
  expect(trust.judge(signed(first, 6))).toHaveLength(1);
  expect(trust.judge({ organizationId: "o", models: [], signature: null })).toEqual([]);
  expect(trust.problem).toBeNull();
});
