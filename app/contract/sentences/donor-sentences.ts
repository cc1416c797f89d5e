import * as z from "zod";
import { standbyReasons } from "../../policy/reasons.ts";
import { type RuleName, ruleOf } from "../../policy/rules.ts";
import { lockedInWords } from "../leaving.ts";

/**
 * Sentences of a donor about what it refuses, and about what keeps it from its organization. The donor sends a sentence in English, for
 * terminals, with its name and values. A page says it in its own language.
 */
export const donorSentences = {
  starting: () => "Gleaner is starting. Try again.",
  "could-not": () => "Gleaner could not do that. See Gleaner's log.",
  "not-saved": () => "This lasts until Gleaner restarts, because it could not be saved to the disk.",
  "time-passed": () => "That time has passed.",
  "journal-unreadable": (_folder: string, why: string) =>
    `Gleaner’s journal cannot be read (${why}). Tell your administrator.`,
  "no-new-version": () => "There is no new version to install.",

  // Rules.
  /** @param names of the rules, with commas between them */
  "rules-locked": (names: string) => `Your organization decides this (${titlesOf(names)}).`,
  "organization-decides-when": () => "Your organization decides when this computer donates.",
  "administrator-decides-when": () => "This computer’s administrator decides when it donates.",
  "login-item-refused": (why: string) =>
    `The system did not accept this change (${why}). Change it in the system's own settings.`,
  "donate-now-off": () => "Your settings do not allow “donate now”. Change them first.",

  // Models.
  "model-not-offered": () => "The organization offers no model of this name to this computer.",
  "model-bundled": () => "This model came with the program and cannot be removed.",
  "model-in-use": () => "A job uses this model now. Pause first, then remove it.",
  "model-not-here": () => "There is no such model on this computer.",
  /** @param why a `ListProblem` @param kept "kept" if the computer has an earlier list */
  "list-refused": (why: string, kept: string) =>
    `${listProblems[why as ListProblem]} ${kept === "kept" ? keptList : noList} Tell your administrator.`,

  // Leaving.
  "no-organization": () => "This computer belongs to no organization.",
  leaving: () => "This computer is leaving its organization.",
  "locked-in": () => lockedInWords,

  // Questions to the organization's server.
  "server-not-reached": () =>
    "Your organization's server cannot be reached now. Try again when this computer has a connection.",
  "answer-not-understood": () =>
    "Gleaner does not understand the server's answer. Update Gleaner, then try again.",
  "server-refused": () => "Your organization's server did not answer this. Try again later.",

  // Invitations and codes.
  "not-an-address": () => "This is no address of a server. It looks like https://gleaner.example.org:3210.",
  "not-a-link": () => "This is no invitation link. Copy the whole link from the message that invites you.",
  "link-without-server": (code: string) =>
    `This link does not name the server. Ask for a new link, or enter the server's address and the code ${code}.`,
  "only-managed-server": (server: string) =>
    `This computer’s administrator allows no other server than ${server}.`,
  "link-of-another-key": () =>
    "This link is for another key of the server than your administrator's. Ask for a new one.",
  "unknown-code": () =>
    "This enrollment code is not known. Check it for typing errors, or ask for a new one.",
  expired: () => "This enrollment code has expired. Ask your administrator for a new one.",
  "used-up": () => "This enrollment code has no uses left. Ask your administrator for a new one.",
  revoked: () => "This enrollment code was revoked. Ask your administrator for a new one.",
  retired: () => standbyReasons.retired.sentence,
  "look-up-refused": () => "The server refused to look the code up. Try again in a minute.",
  "not-connected": () => "The organization's server cannot be reached just now. Try again later.",
  "enrollment-refused": () => "The organization's server refused the enrollment. Try again later.",
  "already-there": (organization: string) => `This computer already belongs to ${organization}.`,
  "not-yet-there": () => "This computer belongs to no organization yet.",
  "look-up-first": () => "Look an invitation up first.",

  // The sign-in in a browser.
  "sign-in-ended": () => "The sign-in has ended. Start again.",
  "sign-in-canceled": () => "The sign-in was canceled.",
  "sign-in-ended-by-server": () => "The server ended the sign-in. Start again.",
  "nobody-confirmed": () => "Nobody confirmed this computer within ten minutes. Start again.",
  "confirmation-expired": () => "The confirmation of this computer has expired. Go back, and sign in again.",
  "no-confirmation-page": (server: string) =>
    `${server} offers no page on which this computer could be confirmed. Use an invitation link or a code instead.`,

  // A server that this computer has not joined.
  "no-answer": (server: string) =>
    `${server} did not answer. Check the network and the address, and try again.`,
  "invited-wrong-key": (server: string) =>
    `${server} is not the server that the invitation names, or somebody is in between. Nothing was sent to it. Tell your administrator.`,
  "invited-untrusted": (server: string) =>
    `This computer cannot tell whether ${server} is the right server, so nothing was sent to it. Use the invitation link instead of the address: it proves the server.`,
  "invited-other-name": (server: string) =>
    `The certificate of ${server} is for another name, so nothing was sent to it. Ask your administrator for a new invitation link.`,
  "invited-expired": (server: string) =>
    `The certificate of ${server} has expired. Check this computer's clock, or tell your administrator.`,
  "invited-not-yet-valid": (server: string) =>
    `The certificate of ${server} is not valid yet. Check this computer's clock, or tell your administrator.`,
  "invited-no-backend": (server: string, why: string) =>
    `${server} answers, but it is not a Gleaner server: ${because(why)}. Check the address and its port.`,
  "invited-unreachable": (server: string, why: string) =>
    `${server} cannot be reached: ${because(why)}. Check the network and the address, and try again.`,

  // The server of the donor's start.
  "other-key": () => standbyReasons["other-key"].sentence,
  "wrong-server": () => standbyReasons["wrong-server"].sentence,
  "identity-damaged": (_file: string) =>
    "A file of Gleaner was damaged, so this computer lost its place in the organization. Join again, with a new enrollment code.",
  "wrong-pin": (server: string) =>
    `${server} may not be your organization's server, so Gleaner sent nothing to it. Tell your administrator.`,
  untrusted: (server: string) =>
    `This computer cannot tell whether ${server} is your organization's server, so Gleaner sent nothing to it. Ask your administrator for an invitation link.`,
  "other-name": (server: string) =>
    `The certificate of ${server} is for another name, so nothing was sent. Tell your administrator. Gleaner keeps trying.`,
  "other-name-at-start": (server: string) =>
    `The certificate of ${server} is for another name, so nothing was sent. Tell your administrator.`,
  "certificate-expired": (server: string) =>
    `The certificate of ${server} has expired. Check this computer's clock, or tell your administrator. Gleaner keeps trying.`,
  "certificate-not-yet-valid": (server: string) =>
    `The certificate of ${server} is not valid yet. Check this computer's clock, or tell your administrator. Gleaner keeps trying.`,
  "no-backend": (server: string, why: string) =>
    `${server} is no server of Gleaner (${because(why)}). Tell your administrator. Gleaner keeps trying.`,
  unreachable: (server: string, why: string) =>
    `${server} cannot be reached (${because(why)}). Gleaner keeps trying.`,
} as const satisfies Readonly<Record<string, (...values: readonly string[]) => string>>;

export type SentenceName = keyof typeof donorSentences;
export type SentenceValues<Name extends SentenceName> = Extract<
  Parameters<(typeof donorSentences)[Name]>,
  readonly string[]
>;

/**
 * Notes for administrators about some of these sentences: commands, options and files. Terminals add the note. A page shows it
 * apart, since most people have no use for it.
 */
const notes: { readonly [Name in SentenceName]?: (...values: SentenceValues<Name>) => string | undefined } = {
  "journal-unreadable": (folder) => `The journal is in ${folder}.`,
  retired: () => standbyReasons.retired.note,
  "other-key": () => standbyReasons["other-key"].note,
  "wrong-server": () => standbyReasons["wrong-server"].note,
  "identity-damaged": (file) =>
    `The file device.json was damaged, and is now ${file}. To keep the place, restore device.json from a backup.`,
  "wrong-pin": () =>
    "The server has another key than the one in --pin. A pin is the hash of the server's key, not the fingerprint of the certificate that a browser shows.",
  untrusted: () =>
    "The server's pin proves it, too: --pin sha256:… Without a pin, its certificate has to be from an authority that this computer trusts; NODE_EXTRA_CA_CERTS adds one.",
  "other-name": () => addressNote(),
  "other-name-at-start": () => addressNote(),
  "no-backend": () => addressNote(),
};

function addressNote(): string {
  return "Check --backend: its address is the one in the command that the console shows, not the console's own.";
}

/** The name and the values of such a sentence. */
export const donorSentence = z.object({ name: z.string(), values: z.array(z.string()) });
export type DonorSentence = z.output<typeof donorSentence>;

export function sentenceOf<Name extends SentenceName>(
  name: Name,
  ...values: SentenceValues<Name>
): DonorSentence {
  return { name, values: [...values] };
}

/** The sentence in the language of this page. In a program, and for the name of another version, the English text. */
export function sayDonorSentence(sentence: DonorSentence | undefined, english: string): string {
  if (sentence === undefined || !Object.hasOwn(donorSentences, sentence.name)) return english;
  const words: (...values: string[]) => string = donorSentences[sentence.name as SentenceName];
  return words(...sentence.values);
}

/** The note for administrators that belongs to a sentence, in the language of this page. Null: it has none. */
export function sayNote(sentence: DonorSentence | undefined): string | null {
  if (sentence === undefined || !Object.hasOwn(notes, sentence.name)) return null;
  const words = notes[sentence.name as SentenceName] as (...values: string[]) => string | undefined;
  return words(...sentence.values) ?? null;
}

/** The sentence for a terminal, in English, with what an administrator needs. */
export function spellDonorSentence(sentence: DonorSentence): string {
  const note = sayNote(sentence);
  const words = sayDonorSentence(sentence, sentence.name);
  return note === null ? words : `${words} ${note}`;
}

/** Why a list of models was refused. */
const listProblems = {
  unsigned: "The organization's list of models is not signed anymore.",
  wrong: "The organization's list of models failed the check of its signature, so Gleaner does not use it.",
  "other-key": "The organization's list of models is signed with another key than before.",
  older: "The server sent an older list of models than before.",
} as const;
export type ListProblem = keyof typeof listProblems;

const keptList = "This computer keeps the last list that it accepted.";
const noList =
  "This computer has no models from an earlier list, so it works on nothing until it gets a right one.";

function titlesOf(names: string): string {
  return names
    .split(",")
    .map((name) => ruleOf(name as RuleName).title)
    .join(", ");
}

/** Why a server was not reached, as a clause: a code of the system, or "HTTP 404". */
function because(why: string): string {
  const status = /^HTTP (\d{3})$/.exec(why)?.[1];
  if (status !== undefined) return `the answer is HTTP status ${status}`;
  return clauses.get(why) ?? why;
}

const clauses: ReadonlyMap<string, string> = new Map([
  ["NO_TLS", "it does not speak TLS"],
  ["ECONNREFUSED", "connection refused"],
  ["ECONNRESET", "the connection was cut"],
  ["ETIMEDOUT", "no answer"],
  ["ENOTFOUND", "its name is not known"],
  ["EAI_AGAIN", "its name cannot be looked up now"],
  ["EHOSTUNREACH", "no way to it"],
  ["ENETUNREACH", "no network"],
]);
