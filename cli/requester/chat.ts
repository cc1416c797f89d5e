import { randomUUID } from "node:crypto";
import { jobObject } from "@gleaner/client/http";
import { formatShare } from "../../app/format/quantity.ts";
import type { DeviceNeeds } from "../../app/keys/requirements.ts";
import { readArguments, usageError } from "../command/arguments.ts";
import { allInput, openTerminal } from "../command/ask-person.ts";
import { CommandError, exitInterrupted, type Verb } from "../command/command.ts";
import { Progress, sayJson, shown } from "../command/output.ts";
import { type Api, exitCodes, openApi } from "./client/api.ts";
import { ask, cancelAsked, type ChatBody, chatBody, type ChatOptions, waitWords } from "./client/ask.ts";
import { chatOptions, chatOptionsUsage, countOf, readChatOptions } from "./client/chat-options.ts";
import { findModel } from "./client/models.ts";
import { parseRequires, requiresHeader } from "./client/requires.ts";
import { chunk, opinion } from "./client/wire.ts";

const usage = `gleaner chat [QUESTION] [options]
Asks a model, and prints the answer as it is written. Without a question it reads one from a pipe: gleaner chat < letter.txt
On a terminal it then goes on as a conversation. Ctrl-D ends it; Ctrl-C ends it, too, and cancels the answer under way.
${chatOptionsUsage}
  --votes N              let up to N idle devices answer, 5 at most, and print what most of them agree on; needs a
                         temperature above 0, and costs as much as all votes that come
  --json                 print the whole completion as JSON, once it is there
${exitCodes}`;

const options = {
  ...chatOptions,
  votes: { type: "string" },
  json: { type: "boolean", default: false },
} as const;

export const chat: Verb = { usage, options, run };

type Messages = ChatBody["messages"];

type Options = ChatOptions & { readonly votes: number | null; readonly requires: DeviceNeeds };

/** A stream sends comments while it waits, so silence means a broken connection. A job has ten minutes. */
const answeredWithinMs = 11 * 60_000;

async function run(args: readonly string[]): Promise<void> {
  const { values: flags, positionals } = readArguments(args, options, usage, 1);
  const numbers = { ...readChatOptions(flags, usage), votes: countOf("votes", flags.votes, usage) };
  const requires = parseRequires(flags.requires);
  const [named] = positionals;
  const talks = named === undefined && process.stdin.isTTY;
  if (talks && flags.json) throw usageError("--json needs a QUESTION.", usage);
  const api = await openApi();
  const asked = { ...numbers, requires, model: await findModel(api, flags.model) };
  const before: Messages = flags.system === undefined ? [] : [{ role: "system", content: flags.system }];
  if (talks) {
    await talk(api, asked, before);
    return;
  }
  const question = (named ?? (await allInput())).trim();
  if (question === "") throw usageError("The question is empty.", usage);
  const messages: Messages = [...before, { role: "user", content: question }];
  if (!flags.json) {
    await answer(api, asked, messages);
    return;
  }
  const request = { body: bodyOf(asked, messages), requires, idempotencyKey: randomUUID() };
  const progress = new Progress(false);
  const interrupted = onInterrupt(async () => {
    progress.done("Canceling…");
    if (!(await cancelAsked(api, request)))
      progress.done("The server did not answer, so the job may go on. To see it: gleaner jobs");
  });
  const { body } = await ask(api, request, (waitsFor) => {
    progress.waiting(`Waiting: ${waitWords(waitsFor)}.`);
  }).catch(async (error: unknown) => {
    // The call fails because its job is canceled. The process is about to end.
    await interrupted();
    throw error;
  });
  progress.clear();
  sayJson(body);
}

/**
 * Ends the process on Ctrl-C, after a last step. A stream ends with its connection, but the job of a whole answer would go on, and nobody
 * would have that.
 * @returns a function that never resolves once that has begun.
 */
function onInterrupt(last: () => Promise<void>): () => Promise<void> {
  let end: Promise<void> = Promise.resolve();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => {
      end = last().finally(() => process.exit(exitInterrupted));
    });
  return async () => await end;
}

function bodyOf(asked: Options, messages: Messages): ChatBody {
  const { votes } = asked;
  return { ...chatBody(asked, messages), ...(votes === null ? {} : { x_gleaner: { votes } }) };
}

async function talk(api: Api, asked: Options, before: Messages): Promise<void> {
  const lines = openTerminal(process.stderr);
  let messages = before;
  lines.setPrompt("> ");
  lines.prompt();
  for await (const line of lines) {
    if (line.trim() !== "") {
      messages = [...messages, { role: "user", content: line }];
      messages = [...messages, { role: "assistant", content: await answer(api, asked, messages) }];
    }
    lines.prompt();
  }
  process.stderr.write("\n");
}

/** Prints the answer as it comes, and returns it. Rejects with a CommandError if it breaks off. */
async function answer(api: Api, asked: Options, messages: Messages): Promise<string> {
  const response = await api.send("/chat/completions", {
    method: "POST",
    body: JSON.stringify({ ...bodyOf(asked, messages), stream: true }),
    headers: { "content-type": "application/json", ...requiresHeader(asked.requires) },
    withinMs: answeredWithinMs,
  });
  let text = "";
  let isWhole = false;
  let opinionNote = "";
  const waiting = new WaitNotice(api, response.headers.get("x-gleaner-job"));
  try {
    for await (const data of eventsOf(response)) {
      if (data === "[DONE]") {
        isWhole = true;
        continue;
      }
      const { choices, error, x_gleaner: own } = api.parseText(data, chunk);
      if (error !== undefined) throw new CommandError(`\n${error.message}`);
      const piece = choices[0]?.delta.content ?? "";
      // The first event comes while the job waits, and names only the role.
      if (piece !== "") waiting.end();
      text += piece;
      process.stdout.write(shown(piece));
      opinionNote = opinionWords(own) ?? opinionNote;
    }
  } finally {
    waiting.end();
  }
  process.stdout.write("\n");
  if (!isWhole) throw new CommandError("The answer broke off before its end. Ask again.");
  if (opinionNote !== "") new Progress(false).done(opinionNote);
  return text;
}

/** How the devices voted, as a sentence. Null without votes. */
function opinionWords(own: unknown): string | null {
  const { data } = opinion.safeParse(own);
  if (data === undefined) return null;
  const { votes, agreed, confidence, escalated } = data;
  if (escalated) return "The devices disagreed, so a larger model answered.";
  if (votes === 1) return "No other device was idle, so nobody gave a second opinion.";
  const sure = confidence === null ? "" : ` Confidence: ${formatShare(confidence)}.`;
  return `${String(agreed)} of ${String(votes)} devices agree on this answer.${sure}`;
}

const noticeAfterMs = 5_000;
const noticeEveryMs = 15_000;

/** Says why an answer has not begun after some seconds, until it begins. */
class WaitNotice {
  readonly #progress = new Progress(false);
  #timer: NodeJS.Timeout | null = null;

  constructor(api: Api, jobId: string | null) {
    if (jobId === null) return;
    this.#timer = setTimeout(() => void this.#look(api, jobId), noticeAfterMs);
  }

  async #look(api: Api, jobId: string): Promise<void> {
    // The answer may come although this call fails.
    const job = await api.get(`/jobs/${jobId}`, jobObject).catch(() => null);
    if (this.#timer === null) return;
    if (job?.status === "queued") this.#progress.waiting(`Waiting: ${waitWords(job.waits_for)}.`);
    else this.#progress.clear();
    this.#timer = setTimeout(() => void this.#look(api, jobId), noticeEveryMs);
  }

  end(): void {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#progress.clear();
  }
}

/** The data of server-sent events. Rejects with a CommandError if the connection breaks. */
async function* eventsOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for await (const bytes of response.body ?? []) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line.startsWith("data:")) yield line.slice("data:".length).trim();
    }
  } catch (error) {
    throw new CommandError(`\nThe connection broke off (${(error as Error).message}). Ask again.`);
  }
}
