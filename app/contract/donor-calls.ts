import * as z from "zod";
import { mostNearbyServers, nearbyServer } from "../nearby-servers.ts";
import { ruleName, someRules } from "../policy/rule-schemas.ts";
import { computer, facts, instant, measurements, models, rules, status } from "./donor-answers.ts";
import { explanation } from "./explanation.ts";
import { givenInvitation, invitationAnswer, type Setup } from "./invitation.ts";
import { departure } from "./leaving.ts";
import { earnedDays, historyPage, historyRequest } from "./past-jobs.ts";
import {
  type DonorSentence,
  donorSentence,
  sayDonorSentence,
  type SentenceName,
  sentenceOf,
  type SentenceValues,
  spellDonorSentence,
} from "./sentences/donor-sentences.ts";
import type { DonorSnapshot } from "./snapshot.ts";

/**
 * The callers: a donor's panel (a window or a page), the terminal of the same user, and the page on which a
 * person joins an organization.
 */
export type Face = "panel" | "terminal" | "setup";

const both = ["panel", "terminal"] as const;
const panel = ["panel"] as const;
const terminal = ["terminal"] as const;
const setup = ["setup"] as const;

const none = z.null();
const modelId = z.string().min(1).max(200);

/**
 * The calls of a running donor. Handlers, preload, panel, terminal and test fakes are derived from this
 * value. A call has one argument, which is parsed before a handler sees it. It answers with a `Reply`. A call that
 * changes something answers null.
 */
export const calls = {
  /** Everything that the panel shows. */
  getSnapshot: { faces: panel, argument: none, answer: z.custom<DonorSnapshot>() },
  /** The part of it that a terminal shows. */
  status: { faces: terminal, argument: none, answer: status },
  /** Pause for a number of minutes (a year at most; null: until resumed), or until a moment in ms since the epoch. */
  pause: {
    faces: both,
    argument: z.union([
      z.object({ minutes: z.number().int().min(1).max(527_040).nullable() }).strict(),
      z.object({ until: instant }).strict(),
    ]),
    answer: none,
  },
  /** Finish the running job, take no other, and pause until resumed. */
  finishThenPause: { faces: both, argument: none, answer: none },
  /** Cancels a "finish, then pause". Without one, ends a pause and a "donate now". */
  resume: { faces: both, argument: none, answer: none },
  /** Donate for a number of minutes, even while the computer is in use. */
  donateNow: {
    faces: both,
    argument: z.object({ minutes: z.number().int().min(1).max(1_440) }),
    answer: none,
  },
  enroll: { faces: panel, argument: z.object({ code: z.string().trim().min(4).max(200) }), answer: none },
  /** All rules as they apply now, with their origin. */
  rules: { faces: terminal, argument: none, answer: rules },
  /**
   * Sets some of the donor's own rules. `requireIdle` is not among them: it is set when the donor starts. Nor is `allowLeave`,
   * which only an organization sets.
   */
  setRules: {
    faces: both,
    argument: someRules.omit({ requireIdle: true, otherCpuLoadHysteresis: true, allowLeave: true }),
    answer: none,
  },
  /** Removes the donor's own values of these rules. */
  resetRules: {
    faces: both,
    argument: z.object({ names: z.array(ruleName).min(1).max(100) }),
    answer: none,
  },
  /** Reads every fact about this computer again, also those that no rule uses. */
  refreshFacts: { faces: panel, argument: none, answer: none },
  /** The hardware, the system and the backend's address. */
  computer: { faces: panel, argument: none, answer: computer },
  /** Reads every fact again, and answers with all of them. */
  facts: { faces: terminal, argument: none, answer: facts },
  /** When the donor donated since a moment in ms since the epoch, when not, and why. */
  explain: { faces: both, argument: z.object({ since: instant }), answer: explanation },
  /** This device's earnings by day. */
  earnings: { faces: panel, argument: none, answer: earnedDays },
  /** A page of this device's own jobs. */
  history: { faces: panel, argument: historyRequest, answer: historyPage },
  models: { faces: both, argument: none, answer: models },
  removeModel: { faces: both, argument: z.object({ modelId }), answer: none },
  /** Undoes a removal, and retries a download that failed. */
  fetchModel: { faces: both, argument: z.object({ modelId }), answer: none },
  /** Measures models with the donor's own runner; null: all that are here. Takes minutes. */
  bench: { faces: terminal, argument: z.object({ modelId: modelId.nullable() }), answer: measurements },
  /** Takes this computer out of its organization, and removes what the donor stored. It cannot be undone. */
  leave: { faces: both, argument: none, answer: departure },
  /** Installs the new version that is ready, and starts it. */
  restartToUpdate: { faces: panel, argument: none, answer: none },
  quit: { faces: panel, argument: none, answer: none },
  getSetup: { faces: setup, argument: none, answer: z.custom<Setup>() },
  /** The servers that announce themselves in this computer's networks. It listens for a second. Nothing of them is proven. */
  findServers: {
    faces: setup,
    argument: none,
    answer: z.object({ servers: z.array(nearbyServer).max(mostNearbyServers) }),
  },
  /** Asks the server which organization an invitation is for. Nothing is joined yet. */
  lookUp: { faces: setup, argument: givenInvitation, answer: invitationAnswer },
  /** Opens the page of the waiting sign-in again. Answers whether the system took its address. */
  openSignIn: { faces: setup, argument: none, answer: z.object({ isOpen: z.boolean() }) },
  /** Answers once a member has confirmed this computer there, within ten minutes, or with the reason why nobody can. */
  awaitSignIn: { faces: setup, argument: none, answer: invitationAnswer },
  /** Ends the waiting sign-in. */
  cancelSignIn: { faces: setup, argument: none, answer: none },
  /** Joins the organization that was found last. A computer that belongs to another one leaves that first. */
  join: { faces: setup, argument: none, answer: none },
  /** Keeps the organization that this computer belongs to, and goes back to the panel. */
  stay: { faces: setup, argument: none, answer: none },
} as const satisfies Readonly<Record<string, Call>>;

type Call = { readonly faces: readonly Face[]; readonly argument: z.ZodType; readonly answer: z.ZodType };

export type CallName = keyof typeof calls;
/** The calls that one face may make. */
export type CallOf<F extends Face> = {
  [Name in CallName]: F extends (typeof calls)[Name]["faces"][number] ? Name : never;
}[CallName];
export type CallArgument<Name extends CallName> = z.infer<(typeof calls)[Name]["argument"]>;
export type CallAnswer<Name extends CallName> = z.infer<(typeof calls)[Name]["answer"]>;

export type Refusal = {
  readonly kind: "refused";
  readonly message: string;
  /** The message for a page, which says it in its own language. Absent if it is only in English. */
  readonly sentence?: DonorSentence | undefined;
};
/** The answer, or a refusal in a sentence for the person who asked. */
export type Reply<T = null> = { readonly kind: "ok"; readonly value: T } | Refusal;

export const done = { kind: "ok", value: null } as const;

export function ok<T>(value: T): { readonly kind: "ok"; readonly value: T } {
  return { kind: "ok", value };
}

export function refused(message: string): Refusal {
  return { kind: "refused", message };
}

/** Refuses with a sentence that pages say in their own language. */
export function refusedFor<Name extends SentenceName>(name: Name, ...values: SentenceValues<Name>): Refusal {
  const sentence = sentenceOf(name, ...values);
  return { kind: "refused", message: spellDonorSentence(sentence), sentence };
}

/** A refusal in the language of this page. */
export function refusalWords({ message, sentence }: Refusal): string {
  return sayDonorSentence(sentence, message);
}

/** The caller's side: one function per call of its face. */
export type DonorClient<F extends Face> = {
  readonly [Name in CallOf<F>]: (argument: CallArgument<Name>) => Promise<Reply<CallAnswer<Name>>>;
};

/** The donor as its panel sees it: the panel's calls, and a stream of changes. */
export type PanelBridge = DonorClient<"panel"> & {
  /** Calls back with the changed top-level fields of the snapshot; returns the unsubscriber. */
  readonly onDelta: (listener: (delta: Partial<DonorSnapshot>) => void) => () => void;
};

export function isCallOf<F extends Face>(face: F, name: unknown): name is CallOf<F> {
  if (typeof name !== "string" || !Object.hasOwn(calls, name)) return false;
  return (calls[name as CallName].faces as readonly Face[]).includes(face);
}

/** The functions of a client, made from the one function that sends a call. */
export function clientOf<F extends Face>(
  face: F,
  send: (name: CallOf<F>, argument: unknown) => Promise<unknown>,
): DonorClient<F> {
  const names = Object.keys(calls).filter((name) => isCallOf(face, name));
  const functions = names.map((name) => [name, (argument: unknown) => send(name, argument)]);
  return Object.fromEntries(functions) as DonorClient<F>;
}

/** Channel names on Electron's IPC. */
export const channels = {
  call: "gleaner:call",
  delta: "gleaner:delta",
  /** A page has rendered its content. */
  rendered: "gleaner:rendered",
  /** A page tells the language that its person chose. */
  language: "gleaner:language",
} as const;

/** The subprotocol of the panel's WebSocket. A page names it, and after it the token that the donor printed. */
export const panelProtocol = "gleaner-panel";
/** Closes a panel's WebSocket that came with a wrong token. Then the page needs the address that is valid now. */
export const wrongTokenCode = 4_401;

const id = z.number().int().min(0);

/** A call as JSON: one message on the panel's WebSocket, or one line on the local socket. */
export const callFrame = z.object({ id, call: z.string().max(100), argument: z.unknown() });
export type CallFrame = z.infer<typeof callFrame>;

/** The reply to the call with the same id. The caller checks the value itself. */
export const replyFrame = z.object({
  id,
  reply: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("ok"), value: z.unknown() }),
    z.object({ kind: z.literal("refused"), message: z.string(), sentence: donorSentence.optional() }),
  ]),
});
export type ReplyFrame = z.infer<typeof replyFrame>;

/** Changed fields of the snapshot, sent to a panel unasked. */
export const deltaFrame = z.object({ delta: z.record(z.string(), z.unknown()) });
