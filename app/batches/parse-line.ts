import * as z from "zod";
import { lineFields } from "../fields/batches.ts";
import { unknownField } from "../fields/field.ts";
import { mistakeInWords } from "../format/mistake.ts";
import {
  type BodyRefusal,
  refusalOf,
  text as wellFormed,
  unknownParameter,
} from "../jobs/parse/parse-body.ts";
import { priorityOf } from "../jobs/parse/parse-sampling.ts";
import { excessOf, isRecord, parseJson } from "../json.ts";
import { jobsOfLine } from "./jobs-of-line.ts";
import { type BatchEndpoint, batchLimits } from "./limits.ts";

/** A line of a file. `end`: the offset behind it and its line break, in bytes from the file's start. */
export type Line = {
  /** From 1. */
  readonly number: number;
  /** Null: it is longer than a line may be, or not UTF-8. */
  readonly text: string | null;
  readonly end: number;
};

/** A request of a batch: the requester's name for it, and the body of its call as JSON. */
export type BatchRequest = {
  readonly line: number;
  readonly customId: string;
  /** As the body names it. Null: it names none. */
  readonly model: string | null;
  /** How many jobs it is, if its own call accepts it. */
  readonly jobs: number;
  /** Whether it asks for the high priority. Other requests of a batch have the low one. */
  readonly isHigh: boolean;
  readonly body: string;
};

/** A mistake that keeps a whole batch from starting, in the terms of OpenAI's list of errors. */
export type LineMistake = {
  readonly line: number;
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
};

export type LineParse =
  | { readonly kind: "parsed"; readonly request: BatchRequest }
  | { readonly kind: "refused"; readonly mistake: LineMistake };

/** Any JSON object. It stays as it is: other schemas drop a field `__proto__`, and the endpoint has to refuse it. */
const anyBody = z.custom<Readonly<Record<string, unknown>>>().check(({ value, issues }) => {
  if (!isRecord(value)) issues.push({ code: "invalid_type", expected: "object", input: value });
});

const envelope = z.object({
  custom_id: wellFormed.min(1).max(batchLimits.customIdChars),
  method: z.literal("POST"),
  url: z.string(),
  body: anyBody,
});

/**
 * Parses the fields around a request. Its body is checked later, as that of its own call: a mistake there is the answer of that
 * request, not the end of the batch.
 */
export function parseLine({ number: line, text }: Line, endpoint: BatchEndpoint): LineParse {
  const refuse = (code: string, param: string | null, message: string): LineParse => ({
    kind: "refused",
    mistake: { line, code, param, message },
  });
  const refuseAs = ({ code, param, message }: BodyRefusal): LineParse => refuse(code, param, message);
  if (text === null) {
    const most = String(batchLimits.lineBytes);
    return refuse("invalid_json_line", null, `The line is longer than ${most} bytes, or not UTF-8.`);
  }
  if (excessOf(text, { depth: batchLimits.lineDepth }) !== null) {
    const most = String(batchLimits.lineDepth);
    return refuse("invalid_json_line", null, `The line has lists and objects more than ${most} levels deep.`);
  }
  const value = parseJson(text);
  if (!isRecord(value)) return refuse("invalid_json_line", null, "The line is not a JSON object.");
  const unknown = unknownField(value, lineFields);
  if (unknown !== null) return refuseAs(unknownParameter(unknown));
  const parsed = envelope.safeParse(value, { error: mistakeInWords });
  if (!parsed.success) return refuseAs(refusalOf(parsed.error, value));
  const { custom_id: customId, url, body } = parsed.data;
  if (url !== endpoint) {
    return refuse(
      "mismatched_endpoint",
      "url",
      `The line's url is another one than the ${endpoint} of the batch.`,
    );
  }
  const { model: named, service_tier: tier } = body;
  const model = typeof named === "string" ? named : null;
  const isHigh = typeof tier === "string" && priorityOf(tier) === "high";
  const jobs = jobsOfLine(endpoint, body);
  return { kind: "parsed", request: { line, customId, model, jobs, isHigh, body: JSON.stringify(body) } };
}

/** @param line the first line too many; 0 if it is not known. */
export function tooManyRequests(line: number): LineMistake {
  const most = batchLimits.lines.toLocaleString("en-US");
  return { line, code: "too_many_requests", param: null, message: `A batch has at most ${most} requests.` };
}

function tooManyJobs(line: number): LineMistake {
  const most = batchLimits.lines.toLocaleString("en-US");
  const message = `A batch has at most ${most} answers. A line with several choices or prompts, or with more inputs than fit a job, counts several times.`;
  return { line, code: "too_many_requests", param: null, message };
}

const countedModels = 20;

/**
 * Collects the mistakes of a whole file. `total`: its requests; `jobs`: what they are together. Keeps the names of the requests, since each must be there once.
 */
export class FileCheck {
  readonly #names = new Set<string>();
  readonly #mistakes: LineMistake[] = [];
  readonly #models = new Map<string | null, number>();
  #high = 0;
  total = 0;
  jobs = 0;

  /** Returns whether it is worth checking the next line. */
  add({ number: line }: Line, parsed: LineParse): boolean {
    this.total += 1;
    this.jobs += parsed.kind === "parsed" ? parsed.request.jobs : 1;
    if (this.jobs > batchLimits.lines) {
      this.#mistakes.push(this.total > batchLimits.lines ? tooManyRequests(line) : tooManyJobs(line));
      return false;
    }
    if (parsed.kind === "refused") this.#mistakes.push(parsed.mistake);
    else if (this.#names.has(parsed.request.customId)) {
      const message = "Another line of the file has this custom_id.";
      this.#mistakes.push({ line, code: "duplicate_custom_id", param: "custom_id", message });
    } else {
      const { customId, model, isHigh } = parsed.request;
      this.#names.add(customId);
      if (isHigh) this.#high += 1;
      const known = this.#models.get(model);
      if (known !== undefined || this.#models.size < countedModels) this.#models.set(model, (known ?? 0) + 1);
    }
    return this.#mistakes.length < batchLimits.namedMistakes;
  }

  /** The model that most requests name; null if most name none. Of many models, the first ones are counted. */
  get model(): string | null {
    const [most] = [...this.#models].sort(([, a], [, b]) => b - a);
    return most?.[0] ?? null;
  }

  /** Whether most requests ask for the high priority. */
  get isHigh(): boolean {
    return this.#high > this.total / 2;
  }

  /** The mistakes, at most `namedMistakes`. */
  get mistakes(): readonly LineMistake[] {
    const empty = { line: 0, code: "empty_file", param: null, message: "The file has no requests." };
    return this.total === 0 ? [empty] : this.#mistakes;
  }
}
