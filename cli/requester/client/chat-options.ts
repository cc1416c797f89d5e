import { usageError } from "../../command/arguments.ts";
import type { ChatOptions } from "./ask.ts";
import { requiresOption, requiresUsage } from "./requires.ts";

/** How a model is to answer, for `chat` and `run`. */
export const chatOptions = {
  model: { type: "string" },
  system: { type: "string" },
  "max-tokens": { type: "string" },
  temperature: { type: "string" },
  ...requiresOption,
} as const;

export const chatOptionsUsage = `  --model MODEL          one of \`gleaner models\` (default: the organization's default model, or its only one)
  --system TEXT          an instruction before the question
  --max-tokens N         the longest answer
  --temperature N        from 0 to 2; 0 gives the likeliest answer
${requiresUsage}`;

type Flags = {
  readonly "max-tokens"?: string | undefined;
  readonly temperature?: string | undefined;
};

/** Throws a usage error for a number that is none. The server checks its bounds. */
export function readChatOptions(flags: Flags, usage: string): Omit<ChatOptions, "model"> {
  return {
    maxTokens: countOf("max-tokens", flags["max-tokens"], usage),
    temperature: numberOf("temperature", flags.temperature, usage),
  };
}

/** The count that an option names; null if it was not given. Throws a usage error for another value. */
export function countOf(name: string, given: string | undefined, usage: string): number | null {
  if (given === undefined) return null;
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given);
  throw usageError(`--${name} must be a whole number above 0, not "${given}".`, usage);
}

/** The same for a number that may have decimals. */
function numberOf(name: string, given: string | undefined, usage: string): number | null {
  if (given === undefined) return null;
  if (/^\d{1,9}(\.\d{1,9})?$/.test(given)) return Number(given);
  throw usageError(`--${name} must be a number such as 0.7, not "${given}".`, usage);
}
