import { createHash } from "node:crypto";
import type { PeerHave } from "./neighbours.ts";

export type ChoiceFacts = {
  /** What is still to come, in the order in which this device would like it; nothing that is under way. */
  readonly missing: readonly number[];
  readonly selfId: string;
  /** Devices in the office that fetch the same file now, this one not among them. */
  readonly companions: readonly string[];
  /** What the devices that were asked have, by their ids. */
  readonly have: ReadonlyMap<string, PeerHave>;
  /** A device in the office says that it has all of it. */
  readonly seeded: boolean;
  /** Whether pieces can be verified one by one, so that devices share them before they have all. */
  readonly byPiece: boolean;
  /** The internet may be used now. */
  readonly internet: boolean;
  /** How long the office was of no help: `hardly` after seconds, `none` after a minute. */
  readonly help: "some" | "hardly" | "none";
};

export type Choice =
  | { readonly kind: "peer"; readonly piece: number; readonly holders: readonly string[] }
  | { readonly kind: "internet"; readonly piece: number }
  | { readonly kind: "wait" };

/**
 * What to fetch next, and from whom. What a device in the office has comes from there. Of the rest, each device fetches
 * from the internet what falls to it, and what others fetch it waits for; only when the office is of no help it goes
 * on alone.
 */
export function choosePiece(facts: ChoiceFacts): Choice {
  const { missing, have, internet, help } = facts;
  for (const piece of missing) {
    const holders = [...have].filter(([, { done }]) => done.has(piece)).map(([id]) => id);
    if (holders.length > 0) return { kind: "peer", piece, holders };
  }
  if (!internet) return { kind: "wait" };
  const coming = new Set([...have.values()].flatMap(({ fetching }) => [...fetching]));
  const free = help === "none" ? missing : missing.filter((piece) => !coming.has(piece));
  const mine = (piece: number): boolean => fallsToSelf(facts, piece);
  const chosen =
    help === "some" ? (facts.seeded ? undefined : free.find(mine)) : (free.find(mine) ?? free[0]);
  return chosen === undefined ? { kind: "wait" } : { kind: "internet", piece: chosen };
}

/** The device with the highest hash of its id and the piece: all that know of each other agree, without a word. */
function fallsToSelf({ selfId, companions, byPiece }: ChoiceFacts, piece: number): boolean {
  if (companions.length === 0) return true;
  const subject = byPiece ? String(piece) : "all";
  const own = weightOf(selfId, subject);
  return companions.every((id) => weightOf(id, subject) < own);
}

function weightOf(id: string, subject: string): string {
  return createHash("sha256").update(`${id}/${subject}`).digest("hex");
}
