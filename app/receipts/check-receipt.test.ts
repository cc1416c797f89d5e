import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import { describe, expect, it } from "vitest";
import { receiptStatement } from "../signatures/statements.ts";
import { chainProblem, readReceipt, type ReceiptCrypto, receiptProblem } from "./check-receipt.ts";
import { merkleLevels, merkleProof, merkleRoot, rootOfProof } from "./merkle.ts";
import { entryText, noSeal, type Receipt, type ReceiptEntry, receiptSealText } from "./receipt.ts";

const hashText = (text: string): string => createHash("sha256").update(text).digest("hex");
const hash = async (text: string): Promise<string> => await Promise.resolve(hashText(text));

const crypto: ReceiptCrypto = {
  hash,
  isSigned: async (x, signature, text) => {
    const key = createPublicKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", x } });
    return await Promise.resolve(verify(null, Buffer.from(text), key, Buffer.from(signature, "base64url")));
  },
};

const device = generateKeyPairSync("ed25519");
const organization = generateKeyPairSync("ed25519");

const publicOf = (key: KeyObject): string => String(key.export({ format: "jwk" })["x"]);
const signText = (key: KeyObject, text: string): string =>
  sign(null, Buffer.from(text), key).toString("base64url");

function entryOf(jobId: string): ReceiptEntry {
  const claim = {
    attemptId: `attempt of ${jobId}`,
    deviceId: "device1",
    jobId,
    requestHash: hashText("request"),
    answerHash: hashText("answer"),
    resultHash: hashText("result"),
    report: {
      usage: { promptTokens: 10, completionTokens: 3 },
      timing: { prefillMs: 5.25, generateMs: 20 },
      model: hashText("model"),
      energy: { microWh: 2_083, source: "measured" as const },
    },
  };
  return {
    claim,
    device: {
      key: publicOf(device.publicKey),
      signature: signText(device.privateKey, receiptStatement(claim)),
    },
    settled: {
      organizationId: "acme",
      jobId,
      model: "gleaner-demo",
      deviceClass: "linux-x64/cpu",
      policy: [{ group: "", version: 3 }],
      priceMicro: "38",
      at: 1_800_000_000_000,
    },
  };
}

async function sealed(
  jobIds: readonly string[],
  number = 1,
  previous = noSeal,
  { publicKey, privateKey } = organization,
): Promise<Receipt[]> {
  const entries = jobIds.map(entryOf);
  const texts = entries.map(entryText);
  const levels = await merkleLevels(texts, hash);
  const seal = {
    organizationId: "acme",
    number,
    count: texts.length,
    root: merkleRoot(levels),
    previous,
  };
  const text = receiptSealText(seal);
  const signedBy = {
    key: publicOf(publicKey),
    signature: signText(privateKey, text),
  };
  return entries.map((entry, index) => ({
    object: "receipt" as const,
    version: 1 as const,
    ...entry,
    seal: { ...seal, hash: hashText(text), signedBy, proof: merkleProof(levels, index) },
  }));
}

/** The paths of all plain values, such as "claim.report.usage.promptTokens". */
function pathsOf(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [[...path]];
  return Object.entries(value).flatMap(([name, part]) => pathsOf(part, [...path, name]));
}

function changed(receipt: Receipt, path: readonly string[]): unknown {
  const copy: unknown = structuredClone(receipt);
  let at = copy as Record<string, unknown>;
  for (const name of path.slice(0, -1)) at = at[name] as Record<string, unknown>;
  const last = path.at(-1) ?? "";
  at[last] = otherThan(at[last]);
  return copy;
}

/** A value of the same form, so that the format allows it wherever it can. */
function otherThan(value: unknown): unknown {
  if (typeof value === "number") return value + 1;
  if (value === "left") return "right";
  if (value === "right") return "left";
  if (value === "measured") return "estimated";
  const text = String(value);
  return (text.startsWith("1") ? "2" : "1") + text.slice(1);
}

async function problemOf(value: unknown): Promise<string | null> {
  const read = readReceipt(value);
  return read.kind === "wrong" ? read.why : await receiptProblem(read.receipt, crypto, null);
}

const [receipt] = (await sealed(["job1", "job2", "job3"])) as [Receipt, ...Receipt[]];

describe("a receipt", () => {
  it("fits as it was made, in any order of its fields", async () => {
    for (const each of await sealed(["a", "b", "c", "d", "e"])) expect(await problemOf(each)).toBeNull();
    expect(await problemOf(Object.fromEntries(Object.entries(receipt).reverse()))).toBeNull();
  });

  it.each(pathsOf(receipt).map((path) => [path.join("."), path] as const))(
    "does not fit after a change of %s",
    async (_, path) => {
      expect(await problemOf(changed(receipt, path))).not.toBeNull();
    },
  );

  it("does not fit with an added or a missing field", async () => {
    expect(await problemOf({ ...receipt, note: "added" })).toBe(
      "This receipt has a field that receipts do not have.",
    );
    expect(await problemOf({ ...receipt, settled: { ...receipt.settled, note: "added" } })).not.toBeNull();
    const report = { ...receipt.claim.report, note: "added" };
    expect(await problemOf({ ...receipt, claim: { ...receipt.claim, report } })).toMatch(
      /device's signature/,
    );
    const { deviceClass: _, ...settled } = receipt.settled;
    expect(await problemOf({ ...receipt, settled })).toBe(
      "This receipt is incomplete: field settled.deviceClass is missing or wrong.",
    );
  });

  it("does not fit with the device, the facts or the seal of another one", async () => {
    const [other] = (await sealed(["other"])) as [Receipt];
    expect(await problemOf({ ...receipt, device: other.device })).toMatch(/device's signature/);
    expect(await problemOf({ ...receipt, settled: other.settled })).toMatch(/another job/);
    expect(await problemOf({ ...receipt, seal: other.seal })).toMatch(/not in its seal/);
  });

  it("of a newer format asks for an update, and other files are not receipts", async () => {
    expect(await problemOf({ ...receipt, version: 2 })).toMatch(/newer format/);
    for (const file of [undefined, null, 1, [], {}, { object: "job" }])
      expect(await problemOf(file)).toBe("This file is not a receipt.");
  });

  it("fits only the organization's key, if the reader names it", async () => {
    const key = publicOf(organization.publicKey);
    expect(await receiptProblem(receipt, crypto, key)).toBeNull();
    expect(await receiptProblem(receipt, crypto, key.slice(0, 20))).toBeNull();
    expect(await receiptProblem(receipt, crypto, publicOf(device.publicKey))).toMatch(/another key/);
  });
});

describe("a chain of receipts", () => {
  it("fits if each seal has the hash of the one before, also with gaps", async () => {
    const first = await sealed(["a", "b"]);
    const second = await sealed(["c"], 2, first[0]?.seal?.hash);
    const fourth = await sealed(["d"], 4, hashText("third"));
    expect(chainProblem([...fourth, ...second, ...first])).toBeNull();
  });

  it("does not fit with a replaced seal, or with two of one number", async () => {
    const first = await sealed(["a"]);
    expect(chainProblem([...first, ...(await sealed(["b"], 2, hashText("other")))])).toMatch(
      /does not follow/,
    );
    expect(chainProblem([...first, ...(await sealed(["b"]))])).toMatch(/two seals with number 1/);
  });
});

describe("a file of receipts", () => {
  it("does not fit if it has a job twice", async () => {
    const [a, b] = (await sealed(["a", "b"])) as [Receipt, Receipt];
    expect(chainProblem([a, b])).toBeNull();
    expect(chainProblem([a, b, a])).toBe("Job a is in the file twice.");
  });

  it("does not fit if another key signed the next seal", async () => {
    const first = await sealed(["a"]);
    const forged = await sealed(["b"], 2, first[0]?.seal?.hash, generateKeyPairSync("ed25519"));
    for (const each of forged) expect(await receiptProblem(each, crypto, null)).toBeNull();
    expect(chainProblem([...first, ...forged])).toMatch(/different keys/);
  });
});

describe("a Merkle tree", () => {
  it.each([1, 2, 3, 4, 5, 7, 8, 100, 128])(
    "of %i texts leads from each of them to its root",
    async (count) => {
      const texts = Array.from({ length: count }, (_, index) => `text ${String(index)}`);
      const levels = await merkleLevels(texts, hash);
      const root = merkleRoot(levels);
      for (const [index, text] of texts.entries()) {
        const proof = merkleProof(levels, index);
        expect(await rootOfProof(text, proof, hash)).toBe(root);
        expect(await rootOfProof(`${text}!`, proof, hash)).not.toBe(root);
      }
    },
  );

  it("does not take a node for a text", async () => {
    const [a, b] = [hashText("leaf\na"), hashText("leaf\nb")];
    const root = merkleRoot(await merkleLevels(["a", "b"], hash));
    expect(merkleRoot(await merkleLevels([`node\n${a}\n${b}`], hash))).not.toBe(root);
    expect(await rootOfProof(`${a}\n${b}`, [], hash)).not.toBe(root);
  });
});
