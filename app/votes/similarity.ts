import type { ChatResult, ToolCall } from "../jobs/chat.ts";
import { isRecord, parseJson } from "../json.ts";
import { canonicalJson } from "../signatures/canonical-json.ts";

/** The part of an answer that is compared with other answers to the same request. */
export type ComparedAnswer = Pick<ChatResult, "text" | "toolCalls">;

/** Answers with more words than this on both sides are compared by their words. Shorter ones agree if they are equal. */
export const mostWordsOfEqual = 20;

/** Longer answers agree if they are at least this similar. */
export const leastSimilarity = 0.7;

/** Whether two answers to one request say the same, and how similar they are: from 0 to 1. */
export type Comparison = { readonly agree: boolean; readonly similarity: number };

/**
 * Compares two answers. Calls of tools and JSON agree if their values are equal, whatever the order of fields and the spaces. Other
 * texts are compared without case, punctuation and spaces: short ones must be equal, and long ones must have the same numbers and
 * mostly the same words.
 */
export function compare(one: ComparedAnswer, other: ComparedAnswer): Comparison {
  const calls = [one, other].map(({ toolCalls = [] }) => toolCalls);
  if (calls.some((each) => each.length > 0)) return equal(...pair(calls.map(callsKey)));
  const values = [one, other].map(({ text }) => jsonKey(text));
  if (values.every((value) => value !== null)) return equal(...pair(values));
  const words = [one, other].map(({ text }) => wordsOf(text));
  const [first, second] = pair(words);
  if (words.some((each) => each.length <= mostWordsOfEqual)) return equal(first.join(" "), second.join(" "));
  const similarity = overlap(counted(first), counted(second));
  return { agree: similarity >= leastSimilarity && sameNumbers(first, second), similarity };
}

function pair<T>(both: readonly T[]): readonly [T, T] {
  const [one, other] = both;
  if (one === undefined || other === undefined) throw new Error("two answers are compared");
  return [one, other];
}

function equal(one: string, other: string): Comparison {
  const agree = one === other;
  return { agree, similarity: agree ? 1 : 0 };
}

/** The functions and their arguments. The ids of calls are made up. */
function callsKey(calls: readonly ToolCall[]): string {
  return canonicalJson(calls.map((call) => [call.name, parseJson(call.arguments) ?? call.arguments]));
}

/** An object or a list as its one JSON text, also in a block of Markdown. Null if the text is neither. */
function jsonKey(text: string): string | null {
  const inner = /^\s*```(?:json)?\s*\n([^]*?)\n\s*```\s*$/.exec(text)?.[1] ?? text;
  const value = parseJson(inner);
  return isRecord(value) || Array.isArray(value) ? canonicalJson(value) : null;
}

/**
 * The words of a text in lower case, without punctuation. Signs of numbers and their decimal points stay, so that -3.5 differs from
 * 35. Symbols such as + or % are words of their own.
 */
export function wordsOf(text: string): readonly string[] {
  const number = String.raw`(?<![\p{L}\p{N}])-?\p{N}+(?:[.,:/]\p{N}+)*`;
  const word = String.raw`[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*`;
  const found = text
    .normalize("NFKC")
    .toLowerCase()
    .match(new RegExp(`${number}|${word}|[\\p{S}%‰&@]`, "gu"));
  return (found ?? []).map((each) => each.replaceAll("’", "'"));
}

function counted(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** The share of words that two texts have in common, each as often as both have it. */
function overlap(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  const sum = (counts: Iterable<number>): number => [...counts].reduce((total, count) => total + count, 0);
  const common = [...one].map(([word, count]) => Math.min(count, other.get(word) ?? 0));
  return (2 * sum(common)) / (sum(one.values()) + sum(other.values()));
}

/** Two long texts may differ by the one number that matters. */
function sameNumbers(one: readonly string[], other: readonly string[]): boolean {
  const [first, second] = [one, other].map((words) =>
    words
      .filter((word) => /^-?\p{N}/u.test(word))
      .toSorted((a, b) => (a < b ? -1 : 1))
      .join(" "),
  );
  return first === second;
}
