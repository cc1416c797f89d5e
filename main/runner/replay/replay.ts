import { contextExceeded, jobErrors } from "../../../app/contract/job-errors.ts";
import type { RunOutcome } from "../../../app/contract/runner.ts";
import { callableTools } from "../../../app/jobs/chat.ts";
import { replayOf, type TextReplay } from "../../../app/trust/replay.ts";
import { promptOf } from "../generate/prompt.ts";
import { AnswerPassages, type Stop } from "./answer-passages.ts";
import { readCalls } from "./calls.ts";
import type { ReplayDeps } from "./passage.ts";
import { readText } from "./text.ts";
import { toldTokens } from "./told-tokens.ts";

/**
 * Reads a prompt and a finished answer in one pass, and compares each of its tokens with the one that this model writes by the same
 * seed. If the device told no tokens, or those of another text, the checker looks for the tokens of the text. Throws what llama.cpp throws.
 */
export async function replay(replayed: TextReplay, deps: ReplayDeps): Promise<RunOutcome> {
  const { of, answer } = replayed;
  const { loaded, step, clock } = deps;
  step("prompt");
  const prompt = promptOf(loaded, of);
  if (prompt === null) return { kind: "failed", error: jobErrors.wrongTokens };
  const bound = tokenBound(deps, answer);
  const length = prompt.tokens.length + bound.ofText + bound.aroundCalls;
  if (prompt.tokens.length === 0 || length >= loaded.wholeContextTokens) {
    return { kind: "failed", error: contextExceeded(length, loaded.wholeContextTokens) };
  }
  if (length >= loaded.contextTokens) return { kind: "failed", error: jobErrors.contextTooSmall };
  const startedAt = clock();
  const loan = await loaded.sequences.lend(prompt.tokens, deps.cacheOwner);
  try {
    const most = loaded.contextTokens - prompt.tokens.length - bound.aroundCalls - 1;
    const told = toldTokens(loaded.model, answer.written, most);
    let passages = new AnswerPassages(replayed, prompt, loan, deps, told);
    let stop = await readAnswer(passages);
    if (stop === "not-told") {
      passages = new AnswerPassages(replayed, prompt, loan, deps, null);
      stop = await readAnswer(passages);
    }
    step(null);
    if (stop !== null && typeof stop === "object") return stop;
    return {
      kind: "done",
      result: {
        replay: replayOf(passages.fits),
        counted: { promptTokens: prompt.tokens.length, completionTokens: passages.written.length },
        usage: { promptTokens: passages.context.length, completionTokens: 0 },
        timing: { prefillMs: Math.round(clock() - startedAt), generateMs: 0 },
      },
    };
  } finally {
    loan.release();
  }
}

/** Tokens that a template puts around a call, at most. */
const aroundCall = 256;

function tokenBound(
  { loaded: { model } }: ReplayDeps,
  { text, toolCalls = [] }: TextReplay["answer"],
): { readonly ofText: number; readonly aroundCalls: number } {
  const calls = toolCalls.map((call) => model.tokenize(`${call.name}${call.arguments}`, false).length);
  const ofText = calls.reduce((sum, each) => sum + each, model.tokenize(text, false).length);
  return { ofText, aroundCalls: aroundCall * calls.length };
}

async function readAnswer(passages: AnswerPassages): Promise<Stop> {
  const { of, answer } = passages.replayed;
  const hasCalls = of.kind === "chat" && (answer.toolCalls ?? []).length > 0;
  const stop = hasCalls ? await readCalls(passages, of.request) : await readText(passages);
  if (stop !== null) return stop;
  // The bound of tokens may cut the name of a call, which does not show in the answer.
  const tools = of.kind === "chat" ? callableTools(of.request) : [];
  const cutNames = answer.finishReason === "length" && tools.length > 1 ? 1 : 0;
  return passages.toldLeft > cutNames ? "not-told" : null;
}
