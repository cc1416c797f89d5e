import { shownId } from "../../../app/batches/openai-objects.ts";
import { isFinal } from "../../../app/jobs/states.ts";
import { internal } from "../../_generated/api.js";
import type { ActionCtx } from "../../_generated/server.js";
import type { CallView } from "../../model/calls/view.ts";
import { textOf } from "../answerForm.ts";
import type { Caller } from "../endpoint.ts";
import { errorOf } from "../errors.ts";
import { eventStream, keepAliveMs, namedEvent, type Sink } from "../eventStream.ts";
import { follow, type TextPosition } from "../follow.ts";
import { JobText, pieceId, type ReaderStart, readerStart } from "../jobs/jobText.ts";
import { failureOf } from "../outcome.ts";
import { refusedWait, waitLimitMs } from "../requestedJob.ts";
import { errorBody, errorResponse, jobHeaders } from "../respond.ts";
import { abortsWith } from "../wait/abortsWith.ts";
import { callWait } from "../wait/callWait.ts";
import { outlookEveryMs, queueHeaders } from "../wait/waiting.ts";
import { callBody } from "./answerCall.ts";
import type { KeyCall } from "./endOfCall.ts";
import { followCall } from "./followCall.ts";

/**
 * GET /v1/jobs/ID/events of a call of several jobs. As those of a job, but `text` and `restart` name the choice by its `index`. An
 * event's id holds the reader's position in the text of each job. The answer that votes have chosen comes in one piece, at the end.
 */
export async function streamCallEvents(
  ctx: ActionCtx,
  request: Request,
  caller: Caller,
  id: string,
): Promise<Response> {
  const { keyId } = caller;
  const view = await ctx.runQuery(internal.calls.requests.view, { keyId, id });
  const full = await refusedWait(ctx, caller);
  if (full !== null) return errorResponse(full);
  const { job, jobIds, hasVotes } = view;
  const hasTexts = !hasVotes && job.kind !== "embedding";
  const last = request.headers.get("last-event-id");
  const starts = hasTexts ? await startsOf(ctx, { keyId, id }, jobIds, last) : [];
  if (hasTexts && !isFinal(job.status))
    await Promise.all(
      jobIds.map(async (jobId) => await ctx.runMutation(internal.requests.followAdmitted, { keyId, jobId })),
    );
  const pricePercent = job.pricePercent;
  const headers = {
    ...jobHeaders({ jobId: shownId("call", id), pricePercent }),
    ...queueHeaders(job.outlook),
  };
  const { signal } = request;
  const knowsEnd = last === decidedId;
  return eventStream(headers, signal, async (sink) => {
    await new CallEvents(ctx, { keyId, id }, sink, signal).send(view, starts, knowsEnd);
  });
}

/** The id of the answer that votes have chosen. */
const decidedId = "decided";

/** The places in the texts of a call's jobs at which a reader begins. */
async function startsOf(
  ctx: ActionCtx,
  { keyId }: KeyCall,
  jobIds: readonly string[],
  last: string | null,
): Promise<readonly ReaderStart[]> {
  const places = last?.split(",") ?? [];
  return await Promise.all(
    jobIds.map(async (jobId, index) => await readerStart(ctx, keyId, jobId, places[index] ?? null)),
  );
}

/** A job of which the reader has no piece yet, in the id of an event. */
const noPlace = "-";

class CallEvents {
  readonly #ctx: ActionCtx;
  readonly #call: KeyCall;
  readonly #sink: Sink;
  readonly #left: AbortController;
  readonly #giveUpAt = Date.now() + waitLimitMs;
  #sentAt = Date.now();
  /** The last pieces that were sent, by their jobs. */
  #places: (TextPosition | null)[] = [];

  constructor(ctx: ActionCtx, call: KeyCall, sink: Sink, signal: AbortSignal) {
    this.#ctx = ctx;
    this.#call = call;
    this.#sink = sink;
    this.#left = abortsWith(signal);
  }

  /** Never rejects. @param knowsEnd whether the reader has the answer that votes have chosen. */
  async send(view: CallView, starts: readonly ReaderStart[], knowsEnd: boolean): Promise<void> {
    const { keyId, id } = this.#call;
    const wait = callWait(this.#ctx, { keyId, jobId: id, giveUpAt: this.#giveUpAt });
    this.#places = starts.map(({ from }) => from);
    try {
      if (!isFinal(view.job.status)) this.#event("job", callBody(view, id));
      const texts = starts.map(async (start, index) => {
        await this.#text(view.jobIds[index] ?? "", index, start, wait);
      });
      await Promise.all([...texts, this.#states(view, wait)].map(async (part) => await this.#ofAll(part)));
      if (this.#left.signal.aborted) return;
      const end = await this.#read();
      if (!isFinal(end.job.status)) return;
      if (!knowsEnd) await this.#decided(end);
      this.#event("job", callBody(end, id));
    } catch (thrown) {
      this.#event("error", errorBody(errorOf(failureOf(thrown))));
    } finally {
      await wait.end();
    }
  }

  /** If one part fails, the others end, too. */
  async #ofAll(part: Promise<void>): Promise<void> {
    try {
      await part;
    } catch (thrown) {
      this.#left.abort();
      throw thrown;
    }
  }

  /** Sends the text of a job. */
  async #text(
    jobId: string,
    index: number,
    start: ReaderStart,
    wait: ReturnType<typeof callWait>,
  ): Promise<void> {
    const { keyId } = this.#call;
    const text = new JobText(start);
    if (start.restarts) this.#event("restart", { index });
    const job = { keyId, jobId, giveUpAt: this.#giveUpAt, stream: true };
    const options = { from: start.from, signal: this.#left.signal, callWait: wait };
    for await (const view of follow(this.#ctx, job, options)) {
      if (this.#isLeft()) return;
      for (const event of text.eventsOf(view)) {
        if (event.kind === "restart") this.#event("restart", { index });
        else {
          this.#places[index] = event.at;
          const id = this.#places.map((place) => (place === null ? noPlace : pieceId(place))).join(",");
          this.#event("text", { index, attempt: event.attempt, text: event.text }, id);
        }
      }
    }
  }

  /** Sends the call whenever its status changes, and now and then while it waits. */
  async #states(first: CallView, wait: ReturnType<typeof callWait>): Promise<void> {
    const options = { signal: this.#left.signal, shared: wait };
    let { status, outlook } = first.job;
    let outlookAt = Date.now();
    let seen = "";
    for await (const state of followCall(this.#ctx, { ...this.#call, giveUpAt: this.#giveUpAt }, options)) {
      if (this.#isLeft()) return;
      const isNew = JSON.stringify(state) !== seen;
      seen = JSON.stringify(state);
      const tells = status === "queued" && Date.now() - outlookAt >= outlookEveryMs;
      if (tells) outlookAt = Date.now();
      const now = (isNew && !state.isOver) || tells ? await this.#read() : null;
      const isChanged =
        now !== null &&
        (now.job.status !== status || JSON.stringify(now.job.outlook) !== JSON.stringify(outlook));
      if (isChanged && !isFinal(now.job.status)) {
        ({ status, outlook } = now.job);
        this.#event("job", callBody(now, this.#call.id));
      } else if (Date.now() - this.#sentAt >= keepAliveMs) {
        this.#sink.send(`: ${status}`);
        this.#sentAt = Date.now();
      }
    }
  }

  /** Sends the answer that votes have chosen. */
  async #decided({ decision }: CallView): Promise<void> {
    if (decision === null) return;
    const { keyId } = this.#call;
    const { view } = await this.#ctx.runQuery(internal.requests.resultAdmitted, {
      keyId,
      jobId: decision.answer,
    });
    if (view.result === null) return;
    const { text } = textOf(view.result);
    if (text !== "") this.#event("text", { index: 0, attempt: view.attempts, text }, decidedId);
  }

  #isLeft(): boolean {
    if (this.#sink.gone() || this.#sink.stops()) this.#left.abort();
    return this.#left.signal.aborted;
  }

  async #read(): Promise<CallView> {
    return await this.#ctx.runQuery(internal.calls.requests.view, this.#call);
  }

  #event(name: string, data: object, id?: string): void {
    this.#sink.send(namedEvent(name, data, id));
    this.#sentAt = Date.now();
  }
}
