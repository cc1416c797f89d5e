import { createPublicKey, verify as verifySignature } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { isArchiveHead } from "../../app/archives/file.ts";
import { wattHoursText } from "../../app/energy/job-energy.ts";
import { plural } from "../../app/format/quantity.ts";
import { parseJson, recordOf } from "../../app/json.ts";
import { formatCredits } from "../../app/money/credits.ts";
import {
  chainProblem,
  notSealedYet,
  readReceipt,
  type ReceiptCrypto,
  receiptProblem,
} from "../../app/receipts/check-receipt.ts";
import type { Receipt } from "../../app/receipts/receipt.ts";
import { keyFingerprint } from "../../app/signatures/catalog.ts";
import { readArguments, usageError } from "../command/arguments.ts";
import { CommandError, failCommand, type Verb } from "../command/command.ts";
import { say, sayJson, shown } from "../command/output.ts";
import { answerProblem, sha256 } from "./verified-answer.ts";
import { verifyArchives } from "./verified-archive.ts";

const usage = `gleaner verify FILE [options]
Checks the signatures, the hashes and the chain of receipts or archives, without a server. The file is a receipt, one receipt a
line, a saved list of the API, or one or several archives of the console. Receipts that are not sealed yet are counted and not
checked.
  --answer FILE   also check that this is the answer: its text, or the body of the call
  --key=KEY       the organization's key, as the console's page Models and "gleaner status" show it
  --json          print the result as JSON
Exit codes: 0 all fits, 1 something does not fit, 2 bad arguments.`;

const options = {
  answer: { type: "string" },
  key: { type: "string" },
  json: { type: "boolean", default: false },
} as const;

/** More than a receipt of each request of the largest batch needs. */
const mostBytes = 512 * 2 ** 20;

export const verify: Verb = { usage, options, run };

async function run(args: readonly string[]): Promise<void> {
  const { values: flags, positionals } = readArguments(args, options, usage, 1);
  const [file] = positionals;
  if (file === undefined) throw usageError("Name the file with the receipt or the archive.", usage);
  const key = flags.key === undefined ? null : keyStart(flags.key);
  const text = await textOf(file);
  if (isArchiveHead(text)) {
    if (flags.answer !== undefined) throw usageError("An archive has no answers: leave out --answer.", usage);
    await verifyArchives(text, nodeCrypto, { key, json: flags.json });
    return;
  }
  const { sealed, notSealed, mistake } = receiptsIn(text);
  const answer = flags.answer === undefined ? null : await textOf(flags.answer);
  const problem = mistake ?? (await problemOf(sealed, key, answer));
  if (flags.json) sayJson(jsonOf(sealed, notSealed, problem));
  if (problem !== null) throw new CommandError(`Not OK. ${problem}`);
  if (!flags.json) say(wordsOf(sealed, notSealed, key !== null));
}

/** The beginning of a public key: a person may leave out the blanks of its fingerprint, or give all of it. */
function keyStart(typed: string): string {
  const start = typed.replaceAll(/\s/g, "");
  if (start.length < 20)
    throw usageError("The key needs at least the 20 characters that the console shows.", usage);
  return start;
}

async function textOf(file: string): Promise<string> {
  const { size } = await stat(file).catch(failCommand);
  if (size > mostBytes) throw new CommandError(`${file} is larger than 512 MiB. Check it in parts.`);
  return await readFile(file, "utf8").catch(failCommand);
}

type ReceiptsOfFile = {
  /** Those that can be checked. */
  readonly sealed: readonly Receipt[];
  readonly notSealed: number;
  /** Why nothing of the file can be checked; null if something can. */
  readonly mistake: string | null;
};

function receiptsIn(text: string): ReceiptsOfFile {
  const wrong = (mistake: string): ReceiptsOfFile => ({ sealed: [], notSealed: 0, mistake });
  const whole = parseJson(text);
  const { object, data } = recordOf(whole);
  const list = object === "list" && Array.isArray(data) ? (data as readonly unknown[]) : null;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const values = list ?? (whole === undefined ? lines.map(parseJson) : [whole]);
  const receipts: Receipt[] = [];
  for (const [at, value] of values.entries()) {
    const read = readReceipt(value);
    if (read.kind === "receipt") receipts.push(read.receipt);
    else return wrong(values.length === 1 ? read.why : `Receipt ${String(at + 1)}: ${read.why}`);
  }
  if (receipts.length === 0) return wrong("The file has no receipts.");
  const sealed = receipts.filter(({ seal }) => seal !== null);
  return {
    sealed,
    notSealed: receipts.length - sealed.length,
    mistake: sealed.length === 0 ? notSealedYet : null,
  };
}

async function problemOf(
  receipts: readonly Receipt[],
  key: string | null,
  answer: string | null,
): Promise<string | null> {
  for (const receipt of receipts) {
    const problem = await receiptProblem(receipt, nodeCrypto, key);
    if (problem !== null) return receipts.length === 1 ? problem : `Job ${receipt.settled.jobId}: ${problem}`;
  }
  const chain = chainProblem(receipts);
  if (chain !== null || answer === null) return chain;
  return answerProblem(answer, new Set(receipts.map(({ claim }) => claim.answerHash)));
}

const nodeCrypto: ReceiptCrypto = {
  hash: async (text) => await Promise.resolve(sha256(text)),
  isSigned: async (publicKey, signature, text) => {
    // The format of a receipt has checked that both have the right length.
    const key = createPublicKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", x: publicKey } });
    return await Promise.resolve(
      verifySignature(null, Buffer.from(text), key, Buffer.from(signature, "base64url")),
    );
  },
};

function jsonOf(receipts: readonly Receipt[], notSealed: number, problem: string | null): object {
  return {
    ok: problem === null,
    problem,
    receipts: receipts.length,
    notSealed,
    jobs: receipts.map(({ settled }) => settled.jobId),
    organizationKeys: keysOf(receipts),
  };
}

/** The organizations' keys that signed, each once. */
function keysOf(receipts: readonly Receipt[]): readonly string[] {
  return [...new Set(receipts.flatMap(({ seal }) => seal?.signedBy?.key ?? []))];
}

function wordsOf(receipts: readonly Receipt[], notSealed: number, isPinned: boolean): string {
  const [first] = receipts;
  const keys = keysOf(receipts).map(keyFingerprint);
  // Receipts of several organizations have several keys.
  const compare = isPinned
    ? ""
    : plural(keys.length, [
        ` Compare its key with the one that you know: ${keys.join()}.`,
        ` They have # keys. Compare each with one that you know: ${keys.join(", ")}.`,
      ]);
  const what =
    receipts.length === 1 && first !== undefined
      ? oneLine(first)
      : plural(receipts.length, ["# receipt", "# receipts"]);
  const left =
    notSealed === 0
      ? ""
      : plural(notSealed, [
          " # more receipt is not sealed yet and was not checked. Get it again in two minutes.",
          " # more receipts are not sealed yet and were not checked. Get them again in two minutes.",
        ]);
  return `OK. ${what}. Signed by the device and by the organization.${compare}${left}`;
}

function oneLine({ settled, claim }: Receipt): string {
  const { usage: tokens, energy } = claim.report;
  const used = energy === undefined ? "" : `, ${wattHoursText(energy)} Wh (${energy.source})`;
  const counts = `${String(tokens.promptTokens)} + ${String(tokens.completionTokens)} tokens`;
  return shown(
    `Job ${settled.jobId}: ${settled.model}, ${counts}, ${formatCredits(BigInt(settled.priceMicro))}${used}`,
  );
}
