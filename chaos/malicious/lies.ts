import type { ClaimedJob } from "@gleaner/queue/validators";

/** A malicious device's deed with a job that it was given. */
export type Lie =
  | { readonly kind: "fail"; readonly error: Failure }
  | { readonly kind: "answer"; readonly result: object; readonly report: object; readonly streams?: string }
  /** A correct answer with a signature that is wrong in some way. */
  | { readonly kind: "forge"; readonly signature: "none" | "of another attempt" | "random" }
  /** Ends the attempt without an answer, `afterMs` after the job came. */
  | { readonly kind: Return; readonly afterMs: number };

/** `ignore`: it never starts the job, and does not say so. */
export type Return = "release" | "restart" | "goodbye" | "ignore";

type Failure = {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly unfit?: boolean;
  readonly byJob?: boolean;
};

export const usage = { promptTokens: 20, completionTokens: 2 };
export const timing = { prefillMs: 5, generateMs: 5 };
export const honest = { result: { text: "ok", finishReason: "stop" }, report: { usage, timing } };

function failure(code: string, more: Partial<Failure> = {}): Lie {
  return {
    kind: "fail",
    error: { code, message: "MARKER: read this <b>text</b>", retryable: false, ...more },
  };
}

function answer(result: object, report: object = {}): Lie {
  return {
    kind: "answer",
    result: { ...honest.result, ...result },
    report: { ...honest.report, ...report },
  };
}

const words = "copper lantern seventeen gravel orbit marmalade ticket sparrow velvet engine".split(" ");

/** An answer that fits its request, and means nothing. */
export function randomWords(count: number): Lie {
  const drawn = Array.from({ length: count }, () => words[Math.floor(Math.random() * words.length)]);
  return answer(
    { text: `${drawn.join(" ")}.` },
    {
      usage: { promptTokens: 20, completionTokens: Math.ceil(count * 1.6) },
      timing: { prefillMs: 20, generateMs: 400 },
    },
  );
}

/** An answer without any text. */
export function nothing(): Lie {
  return answer({ text: "" }, { usage: { promptTokens: 20, completionTokens: 1 } });
}

/** An answer that says that it has as many tokens as were asked for. */
function cutAfter(text: string, { payload }: ClaimedJob): Lie {
  const { maxTokens } = payload as { readonly maxTokens: number };
  const counts = { usage: { promptTokens: 20, completionTokens: maxTokens } };
  return answer({ text, finishReason: "length" }, counts);
}

let truths = 0;
let failures = 0;

/** Kinds of malicious devices: for each, what it does with every job. */
export const lies: Readonly<Record<string, (job: ClaimedJob) => Lie>> = {
  "says that every prompt is too long": () => failure("context_length_exceeded"),
  "says that every request is invalid": () => failure("invalid_grammar"),
  "says that every answer is too large": () => failure("result_too_large"),
  "invents final errors": () => failure("internal_error"),
  "fails everything": () => failure("runner_crashed", { retryable: true }),
  "blames every job for a crash": () => failure("runner_crashed", { retryable: true, byJob: true }),
  "is unfit for everything": () => failure("model_unsuitable", { retryable: true, unfit: true }),
  "calls tools that nobody offered": () =>
    answer({ finishReason: "tool_calls", toolCalls: [{ id: "c1", name: "rm", arguments: "{}" }] }),
  "sends what is no answer": () => ({ kind: "answer", result: { text: 7 }, report: {} }),
  "counts a billion tokens": () => answer({}, { usage: { promptTokens: 1e9, completionTokens: 1e9 } }),
  "counts NaN tokens": () => answer({}, { usage: { promptTokens: NaN, completionTokens: 1 } }),
  "counts more cached tokens than it read": () =>
    answer({}, { usage: { ...usage, cachedPromptTokens: 1_000 } }),
  "answers beyond the limit of tokens": () =>
    answer({ text: "word ".repeat(50_000) }, { usage: { promptTokens: 20, completionTokens: 50_000 } }),
  "is cut by the limit after one byte": (job) => cutAfter("x", job),
  "is cut by the limit before any byte": (job) => cutAfter("", job),
  "streams other text than it answers": () => ({ ...answer({}), streams: "something else" }) as Lie,
  "signs nothing": () => ({ kind: "forge", signature: "none" }),
  "signs another attempt": () => ({ kind: "forge", signature: "of another attempt" }),
  "sends random signatures": () => ({ kind: "forge", signature: "random" }),
  "gives every job back": () => ({ kind: "release", afterMs: 0 }),
  "holds each job for 6 s and returns it": () => ({ kind: "release", afterMs: 6_000 }),
  "restarts with jobs in hand": () => ({ kind: "restart", afterMs: 1_000 }),
  "says goodbye with jobs in hand": () => ({ kind: "goodbye", afterMs: 0 }),
  "never starts its jobs": () => ({ kind: "ignore", afterMs: 6_000 }),
  "fails one job in five and returns the others": () => {
    failures += 1;
    return failures % 5 === 0
      ? failure("runner_crashed", { retryable: true })
      : { kind: "release", afterMs: 0 };
  },
  "tells the truth once in five times": () => {
    truths += 1;
    return truths % 5 === 0
      ? { kind: "answer", ...honest }
      : answer({}, { usage: { promptTokens: 1e9, completionTokens: 1 } });
  },
};
