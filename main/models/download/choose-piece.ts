import { sha256Of } from "../../store/verify-file.ts";
import type { PeerHave } from "./neighbors.ts";

export type ChoiceFacts = {
  /** The missing pieces in this device's preferred order, without those in progress. */
  readonly missing: readonly number[];
  readonly selfId: string;
  /** Other devices in the office that fetch the same file now. */
  readonly companions: readonly string[];
  /** The answers of other devices, by their ids. */
  readonly have: ReadonlyMap<string, PeerHave>;
  /** Whether a device in the office claims to have the whole file. */
  readonly seeded: boolean;
  /** Whether pieces can be verified singly, so that devices share them before they have the whole file. */
  readonly byPiece: boolean;
  /** Whether the internet may be used now. */
  readonly internet: boolean;
  /** The recent help of the office: `hardly` any for seconds, `none` for a minute. */
  readonly help: "some" | "hardly" | "none";
};

type Choice =
  | { readonly kind: "peer"; readonly piece: number; readonly holders: readonly string[] }
  | { readonly kind: "internet"; readonly piece: number }
  | { readonly kind: "wait" };

/**
 * Chooses the next piece and its source. Pieces of a device in the office come from there. Each device fetches
 * its own share of the others from the internet and waits for the rest. It continues alone only if the office
 * does not help.
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

/** The piece belongs to the device with the highest hash of id and piece. So all devices agree without talking. */
function fallsToSelf({ selfId, companions, byPiece }: ChoiceFacts, piece: number): boolean {
  if (companions.length === 0) return true;
  const subject = byPiece ? String(piece) : "all";
  const weightOf = (id: string): string => sha256Of(`${id}/${subject}`);
  const own = weightOf(selfId);
  return companions.every((id) => weightOf(id) < own);
}
