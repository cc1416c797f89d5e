import { jobErrors } from "../../../app/contract/job-errors.ts";
import type { RunOutcome } from "../../../app/contract/runner.ts";
import { checksText } from "../../../app/jobs/answers/answer-checks.ts";
import { callableTools } from "../../../app/jobs/chat.ts";
import type { Sampling } from "../../../app/jobs/sampling.ts";
import type { TextReplay } from "../../../app/trust/replay.ts";
import { type Enforced, grammarOf, orTexts } from "../generate/grammars.ts";
import { CallMatcher, callStarts, callSyntax } from "../generate/tool-call.ts";
import { type AnswerPassages, noEnds, type Part, type Stop } from "./answer-passages.ts";
import type { PassageEnd } from "./passage.ts";
import type { ToldText } from "./told-tokens.ts";

/** Reads an answer without calls. */
export async function readText(passages: AnswerPassages): Promise<Stop> {
  const { of, answer } = passages.replayed;
  const { request } = of;
  const enforced = await enforcedFormat(passages);
  if (enforced !== null && "kind" in enforced) return enforced;
  const end = endOf(answer, request, enforced);
  const ends = enforced === null ? passages.prompt : noEnds;
  const shown = shownText(passages, enforced);
  const openEnd = answer.finishReason === "stop" ? "model" : "none";
  return await passages.read(
    { text: answer.text, enforced, end, ends, openEnd, ...shown },
    checksText(request),
  );
}

/** The grammar of the answer's format. Null: the answer has no format. */
export async function enforcedFormat({
  replayed: { of },
  deps,
}: AnswerPassages): Promise<Enforced | RunOutcome | null> {
  const { llama, model, wrapper } = deps.loaded;
  const { format } = of.request;
  if (format === undefined) return null;
  deps.step("grammar");
  const enforced = await grammarOf(llama, format);
  if (enforced === null) return { kind: "failed", error: jobErrors.invalidGrammar };
  if (of.kind !== "chat" || callableTools(of.request).length === 0) return enforced;
  const starts = callStarts(model, callSyntax(model, wrapper), callableTools(of.request));
  return await orTexts(
    llama,
    enforced,
    starts.map(({ text }) => text),
  );
}

/** How the tokens of an answer without calls show in it. The bound of tokens may have cut the name of its first call. */
function shownText(
  { replayed: { of, answer }, prompt, deps }: AnswerPassages,
  enforced: Enforced | null,
): Pick<Part, "stopTexts" | "gives" | "refused"> {
  const { model, wrapper } = deps.loaded;
  const { stop } = of.request;
  const tools = of.kind === "chat" ? callableTools(of.request) : [];
  const syntax = tools.length === 0 ? null : callSyntax(model, wrapper);
  const callTexts = syntax?.trigger.kind === "texts" && enforced === null ? syntax.trigger.texts : [];
  const starts = syntax === null || enforced === null ? [] : callStarts(model, syntax, tools);
  const isCut = answer.finishReason === "length";
  const gives = ({ text, end }: ToldText): boolean => {
    const stopText = end?.kind === "stop-text" ? end.text : null;
    const isOwnStop = stopText !== null && stop.includes(stopText);
    const matcher = new CallMatcher(starts);
    const shown = matcher.push(text);
    const beginsCall =
      matcher.call !== null || (stopText !== null && !isOwnStop && callTexts.includes(stopText));
    if (beginsCall && !isCut) return false;
    const whole = isCut || stopText !== null ? shown : shown + matcher.held;
    const isTrimmed = enforced?.trimEnd === true && !isCut && !isOwnStop;
    return answer.text === (isTrimmed ? whole.trimEnd() : whole);
  };
  return {
    stopTexts: [...stop, ...(enforced === null ? prompt.stopTexts : []), ...callTexts],
    gives,
    // A device begins a call there, so its answer would have one.
    refused: syntax?.trigger.kind === "token" && enforced === null ? [syntax.trigger.token] : [],
  };
}

function endOf(
  { text, finishReason }: TextReplay["answer"],
  { stop }: Sampling,
  enforced: Enforced | null,
): PassageEnd {
  if (text === "") return "empty";
  if (finishReason !== "stop") return "none";
  // The end of JSON is found in its text, and blanks after it are cut off.
  return stop.length > 0 || enforced?.trimEnd === true ? "text" : "model";
}
