import { createWriteStream, existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import type { Writable } from "node:stream";
import { type Batch, hasEnded, readFileFrom } from "@gleaner/client/http";
import { visibleJson } from "../../app/format/visible.ts";
import { CommandError } from "../command/command.ts";
import { Progress } from "../command/output.ts";
import type { Api } from "./client/api.ts";

type ResultFlags = { readonly errors: boolean; readonly json: boolean; readonly output?: string | undefined };

/**
 * Prints the answers of a batch that are there, or writes them to a new file. Rejects with a CommandError, and leaves no file then:
 * nobody shall take a part of the answers for all of them.
 */
export async function writeResults(
  api: Api,
  found: Batch,
  { errors, json, output }: ResultFlags,
): Promise<void> {
  const fileId = errors ? found.error_file_id : found.output_file_id;
  // On standard error, so that it is not taken for an answer.
  if (fileId === null) new Progress(json).done(noResultsWords(found, errors));
  if (output === undefined) {
    await copyFile(api, fileId, process.stdout);
    return;
  }
  if (existsSync(output)) throw new CommandError(`${output} exists already. Name another file.`);
  const partial = `${output}.partial`;
  const target = createWriteStream(partial, { mode: 0o600 });
  try {
    await copyFile(api, fileId, target);
    await rename(partial, output);
  } catch (error) {
    target.destroy();
    await rm(partial, { force: true });
    throw error;
  }
}

function noResultsWords(found: Batch, errors: boolean): string {
  const ended = found.request_counts.completed + found.request_counts.failed;
  const none = `${found.id} has no ${errors ? "errors" : "answers"}${hasEnded(found) ? "" : " yet"}.`;
  return !errors && ended > 0
    ? `${none} Those that failed: gleaner batch results ${found.id} --errors`
    : none;
}

/** Copies a file of answers, and ends a target that is a file. Null: there are no answers. */
async function copyFile(api: Api, fileId: string | null, target: Writable): Promise<void> {
  const isPrinted = target === process.stdout;
  const failed = new Promise<never>((_, reject) => {
    target.once("error", (error: Error) => reject(new CommandError(error.message)));
  });
  // A model's text cannot move a terminal's cursor. A file or a pipe gets the lines as they are.
  const decoder = isPrinted && process.stdout.isTTY ? new TextDecoder() : null;
  const write = (bytes: Uint8Array): Promise<void> => {
    const printed = decoder === null ? bytes : visibleJson(decoder.decode(bytes, { stream: true }));
    return new Promise((resolve) => void target.write(printed, () => resolve()));
  };
  const copy = async (): Promise<void> => {
    if (fileId !== null) for await (const bytes of readFileFrom(api, fileId, 0)) await write(bytes);
    if (!isPrinted) await new Promise<void>((resolve) => target.end(() => resolve()));
  };
  await Promise.race([copy(), failed]);
}
