import type { Infer } from "convex/values";
import { attentionPlace, attentionWords, endedWords } from "../../../app/devices/attention.ts";
import { budgetAct, testSentence } from "../../../app/mail/alert-words.ts";
import { consoleAddress } from "../signIn/addresses.ts";
import type { attentionItem } from "../validators/alerts.ts";

type Item = Infer<typeof attentionItem>;

/** Something to tell. Each way of telling gets the same message. */
export type Message = {
  readonly event: "attention.began" | "attention.ended" | "budget.near" | "budget.over";
  readonly kind: string;
  readonly subject: string;
  readonly count: number;
  readonly sentence: string;
  /** The act that mends it; "" at its end. */
  readonly act: string;
  /** The console's page for that act; "" without one. */
  readonly link: string;
  /** When it began, and the time of the message; ISO 8601. */
  readonly since: string;
  readonly at: string;
};

const iso = (at: number): string => new Date(at).toISOString();

/** The address of a page of the console. */
export function consoleLink(page: string, filters: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(filters).toString();
  return `${consoleAddress()}#/${page}${query === "" ? "" : `?${query}`}`;
}

export function beganMessage({ kind, subject, count, since }: Item, now: number): Message {
  const { page, filters } = attentionPlace({ kind, subject });
  const words = attentionWords({ kind, subject, count });
  const times = { since: iso(since), at: iso(now) };
  return {
    event: "attention.began",
    kind,
    subject,
    count,
    ...words,
    link: consoleLink(page, filters),
    ...times,
  };
}

export function endedMessage({ kind, subject, count, since }: Item, now: number): Message {
  const sentence = endedWords({ kind, subject });
  const times = { since: iso(since), at: iso(now) };
  return { event: "attention.ended", kind, subject, count, sentence, act: "", link: "", ...times };
}

/** `share`: of the budget, such as 0.83. */
export function budgetMessage(
  state: "near" | "over",
  {
    subject,
    sentence,
    share,
  }: { readonly subject: string; readonly sentence: string; readonly share: number },
  now: number,
): Message {
  return {
    event: `budget.${state}`,
    kind: "budget",
    subject,
    count: Math.floor(share * 100),
    sentence,
    act: budgetAct,
    link: consoleLink("usage"),
    since: iso(now),
    at: iso(now),
  };
}

/** The words of a test, which is no event. */
export function testMessage(now: number): Omit<Message, "event"> {
  const times = { since: iso(now), at: iso(now) };
  return { kind: "test", subject: "", count: 0, sentence: testSentence, act: "", link: "", ...times };
}
