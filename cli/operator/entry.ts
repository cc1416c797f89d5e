import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { basename } from "node:path";
import { mistakeInWords } from "../../app/format/mistake.ts";
import { visibleText } from "../../app/format/visible.ts";
import { type CatalogEntry, catalogEntry, pieceBytesFor } from "../../app/models/catalog-entry.ts";
import { type GgufFacts, ggufHeadBytes, readGgufHeader } from "../../app/models/gguf.ts";
import { memoryNeed } from "../../app/models/memory-need.ts";
import { readArguments, usageError } from "../command/arguments.ts";
import { CommandError, exitUsage, type Verb } from "../command/command.ts";

const usage = `gleaner entry FILE --source SOURCE [options]
Prints an entry of the model catalog for a GGUF file: its SHA-256, its size, its context, its license, the memory that it needs
and the hashes of its pieces. In the console, under Models, choose Add model and From your own file, and paste the output there.
  FILE                   the model's file, identical to the one at the source
  --source SOURCE        the address from which devices download it: https://…, or hf:user/repository/file.gguf
  --name NAME            the model's name in requests (default: the file's name without .gguf)
  --context TOKENS       the longest context on offer (default: the model's own, as the file tells it)
  --license LICENSE      for example Apache-2.0 (default: the one that the file names)`;

const options = {
  source: { type: "string" },
  name: { type: "string" },
  context: { type: "string" },
  license: { type: "string" },
} as const;

export const entry: Verb = { usage, options, run };

async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = readArguments(args, options, usage, 1);
  const { source, name, context, license } = values;
  const [file] = positionals;
  if (file === undefined || source === undefined)
    throw usageError("A FILE and its --source are needed.", usage);
  const facts = await factsOf(file);
  const { pieces, ...found } = await hashesOf(file);
  const given = {
    modelId: name ?? basename(file).replace(/\.gguf$/i, ""),
    source,
    licence: license ?? visibleText(facts.license ?? "").slice(0, 200),
    template: null,
    contextTokens: context === undefined ? facts.contextTokens : Number(context),
    ...found,
    pieces,
  };
  const parsed = catalogEntry.safeParse(given, { error: mistakeInWords });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new CommandError(`${issue?.path.join(".") ?? ""}: ${issue?.message ?? "is wrong"}`, exitUsage);
  }
  const { sizeBytes, contextTokens } = parsed.data;
  const needsBytes = memoryNeed({ ...facts, sizeBytes, contextTokens });
  console.log(JSON.stringify({ ...parsed.data, needsBytes }, null, 2));
}

type Hashes = Pick<CatalogEntry, "sha256" | "sizeBytes"> & {
  readonly pieces: { readonly pieceBytes: number; readonly pieceHashes: readonly string[] };
};

/** Reads the metadata at the beginning of the file. Throws a CommandError if it is no model's file. */
async function factsOf(file: string): Promise<GgufFacts> {
  const sizeBytes = await sizeOf(file);
  const opened = await open(file);
  try {
    for (const length of ggufHeadBytes) {
      const { buffer, bytesRead } = await opened.read(Buffer.alloc(Math.min(length, sizeBytes)), {
        position: 0,
      });
      const header = readGgufHeader(buffer.subarray(0, bytesRead), (utf8) => new TextDecoder().decode(utf8));
      if (header.kind === "read") return header.facts;
      if (header.kind === "wrong") throw new CommandError(`${file}: ${header.why}`, exitUsage);
      if (sizeBytes <= length) break;
    }
  } finally {
    await opened.close();
  }
  throw new CommandError(`${file}: its metadata has no end. The file is damaged.`, exitUsage);
}

/** Throws a CommandError without a file, or for an empty one. */
async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => null);
  if (found?.isFile() !== true) throw new CommandError(`There is no file ${file}.`, exitUsage);
  if (found.size === 0) throw new CommandError(`${file} is empty.`, exitUsage);
  return found.size;
}

/** Reads the file once. Throws a CommandError if it cannot be read. */
export async function hashesOf(file: string): Promise<Hashes> {
  const pieceBytes = pieceBytesFor(await sizeOf(file));
  const whole = createHash("sha256");
  const pieceHashes: string[] = [];
  let piece = createHash("sha256");
  let inPiece = 0;
  let sizeBytes = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 2 ** 20 }) as AsyncIterable<Buffer>) {
    whole.update(chunk);
    sizeBytes += chunk.length;
    for (let at = 0; at < chunk.length;) {
      const part = chunk.subarray(at, at + pieceBytes - inPiece);
      piece.update(part);
      at += part.length;
      inPiece += part.length;
      if (inPiece < pieceBytes) continue;
      pieceHashes.push(piece.digest("hex"));
      piece = createHash("sha256");
      inPiece = 0;
    }
  }
  if (inPiece > 0) pieceHashes.push(piece.digest("hex"));
  return { sha256: whole.digest("hex"), sizeBytes, pieces: { pieceBytes, pieceHashes } };
}
