import { type Job, jobList, jobObject } from "@gleaner/client/http";
import * as z from "zod";
import { energyWords } from "../../app/format/energy.ts";
import { plural } from "../../app/format/quantity.ts";
import { formatCredits } from "../../app/money/credits.ts";
import { readArguments, usageError } from "../command/arguments.ts";
import { CommandError, type Verb } from "../command/command.ts";
import { Progress, say, sayJson, shown, table } from "../command/output.ts";
import { exitCodes, openApi } from "./client/api.ts";
import { waitWords } from "./client/ask.ts";
import { textOf } from "./client/wire.ts";
import { momentOf, pageOptions, pageQuery, pageUsage, postponedWords } from "./pages.ts";

const usage = `gleaner jobs [list] [options]
gleaner jobs receipts [options]
gleaner jobs get|result|receipt|cancel ID [options]
Lists your key's jobs, newest first, or shows one and why it waits, prints its answer or its signed receipt, or cancels it.
"receipts" prints the receipts of your jobs, newest first, one a line: a file that "gleaner verify" checks as a chain. Its --limit
is at most 50.
${pageUsage}
  --json                 print the answer as JSON
${exitCodes}`;

/** A list of receipts has those of so many jobs. */
const mostReceipts = 50;

const options = { ...pageOptions, json: { type: "boolean", default: false } } as const;

const receiptList = z.looseObject({
  data: z.array(z.unknown()),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
});

export const jobs: Verb = {
  usage,
  options,
  actions: ["list", "get", "result", "receipt", "receipts", "cancel"],
  run,
};

async function run(args: readonly string[]): Promise<void> {
  const { values: flags, positionals } = readArguments(args, options, usage, 2);
  const [action = "list", id] = positionals;
  if (!jobs.actions?.includes(action)) throw usageError(`Unknown action "${action}".`, usage);
  const api = await openApi();
  if (action === "list") {
    const list = await api.get(`/jobs?${pageQuery(flags, usage)}`, jobList);
    if (flags.json) sayJson(list);
    else say(list.data.length === 0 ? "No jobs yet." : table(list.data.map(rowOf)));
    return;
  }
  if (action === "receipts") {
    const list = await api.get(`/receipts?${pageQuery(flags, usage, mostReceipts)}`, receiptList);
    if (flags.json) sayJson(list);
    else for (const receipt of list.data) console.log(JSON.stringify(receipt));
    // On standard error, so that it is not in the file of receipts.
    const notes = new Progress(flags.json);
    if (list.data.length === 0) notes.done("None of these jobs has a receipt.");
    if (list.has_more) notes.done(`For older jobs: gleaner jobs receipts --after ${list.last_id ?? ""}`);
    return;
  }
  if (id === undefined) throw usageError("Name the job by its id: see `gleaner jobs`.", usage);
  const path = `/jobs/${encodeURIComponent(id)}`;
  if (action === "result") {
    const response = await api.send(`${path}/result`);
    const answer = await api.parse(response, z.unknown());
    // Before its end a job is the answer.
    if (response.status === 202) throw new CommandError(sayJob(jobObject.parse(answer)));
    if (flags.json) sayJson(answer);
    else console.log(shown(textOf(answer)));
    return;
  }
  if (action === "receipt") {
    sayJson(await api.get(`${path}/receipt`, z.unknown()));
    return;
  }
  const job =
    action === "get" ? await api.get(path, jobObject) : await api.post(`${path}/cancel`, {}, jobObject);
  if (flags.json) sayJson(job);
  else say(sayJob(job));
}

function rowOf({
  id,
  created_at: at,
  status,
  model,
  price_micro: price,
  waits_for: waitsFor,
}: Job): string[] {
  const cost = price === null ? "" : formatCredits(price);
  return [id, momentOf(at), status, model, cost, status === "queued" ? waitWords(waitsFor) : ""];
}

function sayJob(job: Job): string {
  const { id, status, model, endpoint, created_at: at, ended_at: endedAt, price_micro: price, error } = job;
  const ended = endedAt === null ? "" : `, ended ${momentOf(endedAt)}`;
  const { energy = null, corrects = null, jobs = null, call = null, requirements = null } = job;
  return [
    `${id}: ${status}. ${endpoint} with ${model}, asked ${momentOf(at)}${ended}.`,
    ...(requirements === null ? [] : [`Its device must have ${requirements}.`]),
    ...(status === "queued" ? [`It waits: ${waitWords(job.waits_for)}.`] : []),
    ...(price === null ? [] : [`It has cost ${formatCredits(price)}.`]),
    ...(energy === null ? [] : [`It has used ${energyWords(energy.watt_hours / 1_000)}, ${energy.source}.`]),
    ...(error === null ? [] : [error.message]),
    ...wrongWords(job),
    ...(corrects === null ? [] : [`It replaces the wrong answer of ${corrects}.`]),
    ...(jobs === null ? [] : [`It is ${plural(jobs.length, ["# job", "# jobs"])}: ${jobs.join(", ")}.`]),
    ...(call === null ? [] : [`It is a part of the call ${call}.`]),
  ].join("\n");
}

function wrongWords({ found_wrong: found = null }: Job): readonly string[] {
  if (found === null) return [];
  const { corrected_by: correctedBy, not_corrected: why, postponed } = found;
  const yet = postponedWords(postponed);
  const then =
    correctedBy !== null
      ? ` ${correctedBy} answers the request again.`
      : why !== null
        ? ` The request is not answered again: ${why}`
        : yet !== null
          ? ` The request is not answered again yet: ${yet}`
          : "";
  return [`Checks found its answer wrong.${then}`];
}
