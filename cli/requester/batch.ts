import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Batch, Batches, batchList, type BatchOptions, type Content } from "@gleaner/client/http";
import { batchEndpointNames, batchLimits } from "../../app/batches/limits.ts";
import { formatBytes } from "../../app/format/quantity.ts";
import { needsText } from "../../app/keys/parse-needs.ts";
import { readArguments, usageError } from "../command/arguments.ts";
import { CommandError, exitUsage, type Verb } from "../command/command.ts";
import { Progress, say, sayJson, table } from "../command/output.ts";
import { writeResults } from "./batch-results.ts";
import { progressOf, rowOf, sayBatch, sayEstimate, WaitNotes } from "./batch-words.ts";
import { exitCodes, openApi } from "./client/api.ts";
import { parseRequires, requiresOption, requiresUsage } from "./client/requires.ts";
import { checkWindow, pageOptions, pageQuery, pageUsage } from "./pages.ts";
import { Patience } from "./run/patience.ts";

const usage = `gleaner batch create FILE.jsonl [options]
gleaner batch estimate FILE.jsonl [options]
gleaner batch get|wait|cancel ID [options]
gleaner batch results ID [--errors] [--output FILE]
gleaner batch list [options]
Submits a file of requests as a batch, and follows it. Each line of the file is a request (docs/api.md, Batches); for a table use
\`gleaner run\`. \`create\` also says when the batch will be done, and how likely that is in its time. \`estimate\` says that and the
cost, and starts nothing. \`wait\` shows the progress until the end; Ctrl-C ends only the waiting. \`results\` prints the answers
that are there, also while the batch runs.
  --endpoint PATH        of all lines: ${batchEndpointNames.join(", ")}
                         (default: ${batchEndpointNames[0]})
  --within WINDOW        the time until which it is done, from 1h to 7d (default: 24h)
${requiresUsage}
  --again                \`create\` submits a file again that it has submitted within a day. Without it, that batch is shown
  --wait                 after \`create\`, also wait for the end
  --errors               the requests that failed, in place of the answers
  --output FILE          write the answers to this new file
${pageUsage}
  --json                 print the batch as JSON
${exitCodes}
\`wait\` ends with 1 if the batch has failed, expired or was canceled, or if a request has failed.`;

const options = {
  endpoint: { type: "string", default: batchEndpointNames[0] },
  within: { type: "string", default: "24h" },
  ...requiresOption,
  again: { type: "boolean", default: false },
  wait: { type: "boolean", default: false },
  errors: { type: "boolean", default: false },
  output: { type: "string" },
  ...pageOptions,
  json: { type: "boolean", default: false },
} as const;

const actions = ["create", "estimate", "get", "list", "wait", "results", "cancel"] as const;

export const batch: Verb = { usage, options, actions, run };

async function run(args: readonly string[]): Promise<void> {
  const { values: flags, positionals } = readArguments(args, options, usage, 2);
  const [named, argument] = positionals;
  const action = actions.find((each) => each === named);
  if (action === undefined) throw usageError(`Name what to do: ${actions.join(", ")}.`, usage);
  const show = (found: Batch): void => (flags.json ? sayJson(found) : say(sayBatch(found)));
  if (action === "list") {
    const list = await (await openApi()).get(`/batches?${pageQuery(flags, usage)}`, batchList);
    if (flags.json) sayJson(list);
    else say(list.data.length === 0 ? "No batches yet." : table(list.data.map(rowOf)));
    return;
  }
  if (argument === undefined) {
    const isFile = action === "create" || action === "estimate";
    throw usageError(isFile ? "Name the file." : "Name the batch by its id.", usage);
  }
  if (action === "estimate") {
    const told = await new Batches(await openApi()).estimate(...(await readRequests(argument, flags)));
    if (flags.json) sayJson(told);
    else say(sayEstimate(told));
    return;
  }
  if (action === "create") {
    const made = await create(argument, flags);
    const batches = new Batches(await openApi());
    if (flags.wait) {
      await wait(batches, made.id, flags.json);
      return;
    }
    const found = await checked(batches, made, new Progress(flags.json));
    show(found);
    if (found.status === "failed") throw new CommandError("The batch did not start.");
    if (found.status === "validating" && !flags.json)
      say(`Its lines are still being checked. To see when it will end: gleaner batch get ${found.id}`);
    return;
  }
  const api = await openApi();
  const batches = new Batches(api);
  if (action === "wait") await wait(batches, argument, flags.json);
  else if (action === "results") await writeResults(api, await batches.get(argument), flags);
  else if (action === "get") show(await batches.get(argument));
  else show(await batches.cancel(argument));
}

type CreateFlags = {
  readonly endpoint: string;
  readonly within: string;
  readonly requires?: string | undefined;
  readonly json: boolean;
};

/**
 * Submits a file. After Ctrl-C the batch may be there although nobody has seen its id, so a repeated command looks for the batch of
 * an equal file first.
 */
async function create(file: string, flags: CreateFlags & { readonly again: boolean }): Promise<Batch> {
  const [content, options] = await readRequests(file, flags);
  const batches = new Batches(await openApi());
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) hash.update(chunk);
  const metadata = { gleaner_file: hash.digest("hex") };
  const earlier = flags.again ? null : await batchOf(batches, metadata.gleaner_file, options);
  if (earlier === null) return await batches.create(content, { ...options, metadata });
  new Progress(flags.json).done(
    `${file} was submitted before, as ${earlier.id}. To submit it once more, add --again to this command.`,
  );
  return earlier;
}

/** The check of a large file takes longer than anybody wants to wait. */
const checkedWithinMs = 15_000;
const askEveryMs = 500;

/** Waits until the lines of a new batch were checked: then it has a forecast, or is refused since it cannot end in its time. */
async function checked(batches: Batches, made: Batch, progress: Progress): Promise<Batch> {
  const until = Date.now() + checkedWithinMs;
  let found = made;
  while (found.status === "validating" && Date.now() < until) {
    progress.at("Its lines are checked.");
    await sleep(askEveryMs);
    found = await batches.get(made.id);
  }
  progress.clear();
  return found;
}

/** A file whose batch is older is submitted again without a question. */
const sameFileWithinS = 24 * 3_600;

/**
 * The batch that was made from a file with this hash within a day, with the same requirements. Null: none, or it did not start or was
 * canceled.
 */
async function batchOf(
  batches: Batches,
  hash: string,
  { endpoint, requires = {} }: BatchOptions,
): Promise<Batch | null> {
  const { data } = await batches.list({ limit: 100 });
  const since = Date.now() / 1_000 - sameFileWithinS;
  const isSame = (each: Batch): boolean =>
    each.metadata?.["gleaner_file"] === hash &&
    each.endpoint === endpoint &&
    (each.requirements ?? "") === needsText(requires) &&
    each.created_at >= since;
  return data.find((each) => isSame(each) && !isStopped(each)) ?? null;
}

function isStopped({ status }: Batch): boolean {
  return status === "failed" || status === "cancelling" || status === "cancelled" || status === "expired";
}

/** The file as a batch's content, and the options of the batch. Rejects with a CommandError for wrong ones. */
async function readRequests(file: string, flags: CreateFlags): Promise<[Content, BatchOptions]> {
  const found = await stat(file).catch(() => null);
  if (found?.isFile() !== true) throw new CommandError(`There is no file ${file}.`, exitUsage);
  if (found.size === 0) throw new CommandError(`${file} is empty. Each line is a request.`, exitUsage);
  if (found.size > batchLimits.uploadBytes) {
    const most = formatBytes(batchLimits.uploadBytes);
    throw new CommandError(
      `${file} has more than ${most}, which is the most for a batch. Split it.`,
      exitUsage,
    );
  }
  const endpoint = batchEndpointNames.find((name) => name === flags.endpoint);
  if (endpoint === undefined) {
    throw usageError(`--endpoint is one of ${batchEndpointNames.join(", ")}.`, usage);
  }
  checkWindow(flags.within, usage);
  const requires = parseRequires(flags.requires);
  const progress = new Progress(flags.json);
  return [
    { bytes: found.size, chunks: createReadStream(file) as AsyncIterable<Buffer> },
    {
      endpoint,
      within: flags.within,
      requires,
      fileName: basename(file).slice(0, batchLimits.fileNameChars),
      onPart: (part, parts) => progress.at(`Uploading part ${String(part)} of ${String(parts)}`),
    },
  ];
}

/** Follows the batch to its end, also while the server restarts, and says how it ended. */
async function wait(batches: Batches, id: string, json: boolean): Promise<void> {
  const progress = new Progress(json);
  // Says at once that the server cannot be reached. Later that can only be for a time.
  let last = await batches.get(id);
  progress.done(`Following ${id}. Ctrl-C ends only this; to follow it again: gleaner batch wait ${id}`);
  const waits = new WaitNotes(progress);
  await new Patience(progress).repeat(async (answered) => {
    for await (const found of batches.watch(id)) {
      answered();
      last = found;
      waits.note(found);
      const { total, completed, failed } = found.request_counts;
      if (total > 0) progress.bar(completed + failed, total, progressOf(found));
      else progress.at("Its lines are checked.");
    }
  });
  if (json) sayJson(last);
  else progress.done(sayBatch(last));
  if (last.status === "completed" && last.request_counts.failed === 0) return;
  const remedy = last.status === "failed" ? "" : ` To see why: gleaner batch results ${id} --errors`;
  throw new CommandError(`Not every request has an answer.${remedy}`);
}
