import { execFile } from "node:child_process";
import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import {
  archiveBody,
  archiveEndLine,
  archiveStatement,
  noArchive,
  rowLine,
} from "../../app/archives/file.ts";
import { merkleLevels, merkleProof, merkleRoot } from "../../app/receipts/merkle.ts";
import { entryText, noSeal, type Receipt, receiptSealText } from "../../app/receipts/receipt.ts";
import { keyFingerprint } from "../../app/signatures/catalog.ts";
import { answerText, receiptStatement } from "../../app/signatures/statements.ts";
import { answerProblem } from "./verified-answer.ts";

const folder = mkdtempSync(join(tmpdir(), "gleaner-verify-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const gleaner = join(import.meta.dirname, "../gleaner.ts");
const hashText = (text: string): string => createHash("sha256").update(text).digest("hex");
const hash = async (text: string): Promise<string> => await Promise.resolve(hashText(text));
const [device, organization] = [generateKeyPairSync("ed25519"), generateKeyPairSync("ed25519")];
const publicOf = (key: KeyObject): string => String(key.export({ format: "jwk" })["x"]);
const signText = (key: KeyObject, text: string): string =>
  sign(null, Buffer.from(text), key).toString("base64url");
const organizationKey = publicOf(organization.publicKey);

/** The receipt of a job with this answer, alone in its seal. */
async function receiptOf(
  jobId: string,
  text: string,
  number = 1,
  previous = noSeal,
  { keys: { publicKey, privateKey } = organization, organizationId = "acme" } = {},
): Promise<Receipt> {
  const hashes = { requestHash: hashText("?"), answerHash: hashText(text), resultHash: hashText("!") };
  const usage = { promptTokens: 10, completionTokens: 3 };
  const report = {
    usage,
    model: hashText("model"),
    energy: { microWh: 2_083, source: "estimated" as const },
  };
  const claim = { attemptId: "a", deviceId: "d", jobId, ...hashes, report };
  const signature = signText(device.privateKey, receiptStatement(claim));
  const settled = {
    organizationId,
    jobId,
    model: "demo",
    deviceClass: null,
    policy: [],
    priceMicro: "38",
    at: 1,
  };
  const entry = { claim, device: { key: publicOf(device.publicKey), signature }, settled };
  const texts = [entryText(entry)];
  const levels = await merkleLevels(texts, hash);
  const seal = { organizationId, number, count: 1, root: merkleRoot(levels), previous };
  const sealed = receiptSealText(seal);
  const signedBy = { key: publicOf(publicKey), signature: signText(privateKey, sealed) };
  const proof = merkleProof(levels, 0);
  return {
    object: "receipt",
    version: 1,
    ...entry,
    seal: { ...seal, hash: hashText(sealed), signedBy, proof },
  };
}

type Ran = { readonly code: number; readonly out: string; readonly err: string };

function verify(text: string, ...options: readonly string[]): Promise<Ran> {
  const file = join(folder, "receipt.json");
  writeFileSync(file, text);
  return new Promise((resolve) => {
    execFile(process.execPath, [gleaner, "verify", file, ...options], (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}

function answerFile(text: string): readonly string[] {
  const file = join(folder, "answer");
  writeFileSync(file, text);
  return ["--answer", file];
}

it("checks a receipt and its answer, and names the key to compare", async () => {
  const text = JSON.stringify(await receiptOf("j1", "Blue."), null, 2);
  const { code, out } = await verify(text, ...answerFile("Blue.\n"));
  expect(out).toContain("OK. Job j1: demo, 10 + 3 tokens");
  expect(out).toContain("0.002083 Wh (estimated)");
  expect(out).toContain(organizationKey.slice(0, 4));
  expect(out.trim().split("\n")).toHaveLength(1);
  expect(code).toBe(0);
});

/** An archive of one transfer, signed by the organization. */
function archiveOf(number: number, previous: string, micro = "-5"): string {
  const row = (account: string, amount: string): string =>
    rowLine("ledgerEntries", { _id: account, account, micro: amount, transferKey: "close:j1:0" });
  const head = {
    organizationId: "acme",
    kind: "ledger" as const,
    month: "2027-01",
    number,
    rows: 2,
    previous,
  };
  const body = archiveBody(head, [row("key:1", micro), row("device:1", "5")]);
  const sha256 = hashText(body);
  const signature = signText(organization.privateKey, archiveStatement(head, sha256));
  return body + archiveEndLine({ sha256, signedBy: { key: organizationKey, signature } });
}

it("checks archives and their chain", async () => {
  const first = archiveOf(1, noArchive);
  const second = archiveOf(2, hashText(first));
  const good = await verify(second + first, `--key=${organizationKey}`);
  expect(good).toMatchObject({ code: 0, out: expect.stringContaining("OK. 2 archives") as string });
  expect(good.out).toContain(`Ledger, 2027-01, number 1: 2 rows, SHA-256 ${hashText(first)}`);
  const json = JSON.parse((await verify(first, "--json")).out) as object;
  expect(json).toMatchObject({ ok: true, archives: [{ kind: "ledger", rows: 2 }] });
  const wrong: readonly (readonly [string, RegExp])[] = [
    [first.replace('"device:1"', '"device:2"'), /its hash does not fit/],
    [first.slice(0, -200), /no last line/],
    [first + archiveOf(2, hashText("other")), /does not follow/],
    [first + first, /twice/],
    [archiveOf(1, noArchive, "-4"), /does not sum to zero/],
  ];
  for (const [text, problem] of wrong)
    expect(await verify(text)).toMatchObject({ code: 1, err: expect.stringMatching(problem) as string });
  const key = await verify(first, `--key=${publicOf(device.publicKey)}`);
  expect(key).toMatchObject({ code: 1, err: expect.stringContaining("another key") as string });
  expect(await verify(first, ...answerFile("Blue."))).toMatchObject({ code: 2 });
});

it("refuses a changed receipt, another answer, another key and bad arguments", async () => {
  const receipt = JSON.stringify(await receiptOf("j1", "Blue."));
  const changed = await verify(receipt.replace('"promptTokens":10', '"promptTokens":11'));
  expect(changed).toMatchObject({
    code: 1,
    err: expect.stringContaining("Not OK. The device's signature") as string,
  });
  const other = await verify(receipt, ...answerFile("Red."));
  expect(other).toMatchObject({
    code: 1,
    err: expect.stringContaining("The answer is another one") as string,
  });
  const key = await verify(receipt, `--key=${publicOf(device.publicKey)}`);
  expect(key).toMatchObject({ code: 1, err: expect.stringContaining("another key") as string });
  expect(await verify(receipt, "--key", "short")).toMatchObject({ code: 2 });
  expect(await verify("not JSON")).toMatchObject({
    code: 1,
    err: expect.stringContaining("not a receipt") as string,
  });
});

it("checks the chain of a file with one receipt a line, and prints JSON", async () => {
  const first = await receiptOf("j1", "One.");
  const second = await receiptOf("j2", "Two.", 2, first.seal?.hash);
  const lines = [first, second].map((each) => JSON.stringify(each)).join("\n");
  const good = await verify(`${lines}\n`, "--json", `--key=${organizationKey}`, ...answerFile("Two."));
  expect(JSON.parse(good.out)).toEqual({
    ok: true,
    problem: null,
    receipts: 2,
    notSealed: 0,
    jobs: ["j1", "j2"],
    organizationKeys: [organizationKey],
  });
  const replaced = await receiptOf("j2", "Two.", 2, hashText("another"));
  const bad = await verify([first, replaced].map((each) => JSON.stringify(each)).join("\n"), "--json");
  expect(JSON.parse(bad.out)).toMatchObject({
    ok: false,
    problem: "Seal 2 does not follow the seal before it.",
  });
  expect(bad.code).toBe(1);
});

it("reads a list of the API, and leaves out receipts that are not sealed yet", async () => {
  const first = await receiptOf("j1", "One.");
  const second = await receiptOf("j2", "Two.", 2, first.seal?.hash);
  const young = { ...(await receiptOf("j3", "Three.")), seal: null };
  const list = (...data: readonly object[]): string =>
    JSON.stringify({ object: "list", data, last_id: "j1", has_more: false });
  const good = await verify(list(young, second, first));
  expect(good.out).toContain("OK. 2 receipts.");
  expect(good.out).toContain("1 more receipt is not sealed yet and was not checked.");
  expect(good.code).toBe(0);
  const lines = [young, second].map((each) => JSON.stringify(each)).join("\n");
  expect(JSON.parse((await verify(lines, "--json")).out)).toMatchObject({
    ok: true,
    receipts: 1,
    notSealed: 1,
    jobs: ["j2"],
  });
  expect(await verify(lines, ...answerFile("Three."))).toMatchObject({ code: 1 });
  for (const [file, why] of [
    [list(young), /not sealed yet/],
    [list(), /no receipts/],
    ["", /no receipts/],
    [list(first, {}), /Receipt 2: /],
  ] as const)
    expect(await verify(file)).toMatchObject({ code: 1, err: expect.stringMatching(why) as string });
});

it("refuses a receipt that another key sealed as the next one, and prints all keys", async () => {
  const first = await receiptOf("j1", "One.");
  const stranger = generateKeyPairSync("ed25519");
  const next = await receiptOf("j2", "Two.", 2, first.seal?.hash, { keys: stranger });
  expect(await verify([first, next].map((each) => JSON.stringify(each)).join("\n"))).toMatchObject({
    code: 1,
    err: expect.stringContaining("different keys") as string,
  });
  const other = { keys: stranger, organizationId: "beta" };
  const apart = [first, await receiptOf("j3", "Three.", 1, noSeal, other)];
  const { code, out } = await verify(apart.map((each) => JSON.stringify(each)).join("\n"));
  expect(code).toBe(0);
  for (const { seal } of apart) expect(out).toContain(keyFingerprint(seal?.signedBy?.key ?? ""));
});

const problemOf = (body: object, ...answers: readonly string[]): string | null =>
  answerProblem(JSON.stringify(body), new Set(answers.map(hashText)));
const call = { id: "call_1", name: "f", arguments: "{}" };
const called = { id: "call_1", type: "function", function: { name: "f", arguments: "{}" } };
const said = { type: "message", content: [{ type: "output_text", text: "Hi" }] };
const item = { type: "function_call", id: "fc_1", call_id: "call_1", name: "f", arguments: "{}" };
const packed = (...numbers: readonly number[]): string =>
  Buffer.from(Float32Array.from(numbers).buffer).toString("base64");

it("finds the answer in the bodies of all kinds of calls", () => {
  const vector = packed(0.25, -0.1);
  const bodies: readonly (readonly [object, string])[] = [
    [{ choices: [{ message: { content: "Hi" } }] }, "Hi"],
    [{ choices: [{ text: "Hi" }] }, "Hi"],
    [
      { choices: [{ message: { content: null, tool_calls: [called] } }] },
      answerText({ text: "", toolCalls: [call] }),
    ],
    [{ output: [said] }, "Hi"],
    [{ output: [item] }, answerText({ toolCalls: [call] })],
    [{ output: [said, item] }, answerText({ text: "Hi", toolCalls: [call] })],
    [{ content: [{ type: "text", text: "Hi" }] }, "Hi"],
    [{ data: [{ embedding: [0.25, -0.10000000149011612] }] }, answerText({ embeddings: [vector] })],
    [{ data: [{ embedding: vector }] }, answerText({ embeddings: [vector] })],
  ];
  for (const [body, text] of bodies) {
    expect(problemOf(body, "Other", text)).toBeNull();
    expect(problemOf(body, "Other")).toMatch(/another one/);
  }
});

it("needs a receipt for each choice, and for the vectors of each job", () => {
  const choices = { choices: [{ text: "Invented." }, { text: "One." }] };
  expect(problemOf(choices, "One.")).toMatch(/another one/);
  expect(problemOf(choices, "One.", "Invented.")).toBeNull();
  const vectors = Array.from({ length: 5 }, (_, index) => packed(index));
  const data = vectors.map((embedding) => ({ embedding }));
  const of = (from: number, to: number) => answerText({ embeddings: vectors.slice(from, to) });
  // The answer of another call begins with the same vector.
  expect(problemOf({ data }, of(0, 1), of(0, 3), of(3, 5))).toBeNull();
  expect(problemOf({ data }, of(0, 3))).toMatch(/another one/);
  expect(problemOf({ data }, of(3, 5))).toMatch(/another one/);
});

it("does not take an answer that it cannot read for an empty one", () => {
  const bodies = [
    { choices: [{ delta: { content: "Hi" } }] },
    { choices: [] },
    { choices: [{ text: "Hi", message: { content: "Invented" } }] },
    { choices: [{ text: "Hi" }], output: [{ content: [{ text: "Invented" }] }] },
    { choices: [{ message: { content: "Hi", tool_calls: [{ id: "call_1" }] } }] },
    { output: [said, { type: "reasoning", summary: [] }] },
    { data: [{ embedding: ["0.25"] }] },
  ];
  for (const body of bodies) expect(problemOf(body, "", "Hi")).toMatch(/no answer that I know/);
});

it("says that the tool calls of a message cannot be checked", () => {
  const content = [
    { type: "text", text: "Hi" },
    { type: "tool_use", id: "call_1", name: "f", input: {} },
  ];
  expect(problemOf({ content }, "Hi")).toMatch(/cannot be checked/);
});
