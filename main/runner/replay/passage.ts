import type { Token } from "node-llama-cpp";
import type { RequestStep } from "../../../app/contract/runner.ts";
import type { Sampling } from "../../../app/jobs/sampling.ts";
import type { TokenFit } from "../../../app/trust/token-fit.ts";
import type { Enforced } from "../generate/grammars.ts";
import type { PrefillSlices } from "../generate/prefill.ts";
import type { Prompt } from "../generate/prompt.ts";
import type { LoadedModel } from "../load/load-model.ts";
import type { JobPace } from "../process/duty-cycle.ts";

export type ReplayDeps = JobPace & {
  readonly loaded: LoadedModel;
  readonly slices: PrefillSlices;
  readonly cacheOwner: string | undefined;
  readonly step: (step: RequestStep | null) => void;
};

/**
 * The end of a passage. `model`: the model ended it, which is compared, too. `text`: that, or a text that is cut off. `none`: it was cut.
 * `empty`: the passage has no text, so its first token is one that does not show, which is compared. `call`: the token that begins a call,
 * which is compared, too.
 */
export type PassageEnd = "model" | "text" | "none" | "empty" | "call";

/** A part of an answer that the model wrote in one go, with draws and a grammar of its own. */
export type Passage = {
  /** All tokens before it. */
  readonly before: readonly Token[];
  readonly text: string;
  /** The tokens of its text, as the device told them. Null: they are looked for. */
  readonly told: readonly Token[] | null;
  readonly request: Sampling;
  readonly enforced: Enforced | null;
  readonly end: PassageEnd;
  /** Besides those of the request. */
  readonly ends: Pick<Prompt, "stopTokens" | "stopTexts">;
  /** Tokens that the model wrote in passages before, for the request's penalties. */
  readonly written: readonly Token[];
};

/** `tokens`: those of the text, as they were compared. `isWhole`: the text was compared to its end. */
export type PassageRead = {
  readonly fits: readonly TokenFit[];
  readonly tokens: readonly Token[];
  readonly isWhole: boolean;
};
