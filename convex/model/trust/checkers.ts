import { isGiven } from "@gleaner/queue";
import type { WorkerView } from "@gleaner/queue/validators";
import { grammarOf, isKnownGrammar, isOldGrammar } from "../../../app/grammar-version.ts";
import { mayReplay } from "../../../app/trust/case.ts";
import {
  areOneSide,
  countSides,
  mostSides,
  type Owner as SideOwner,
  ownersOf,
  type Side,
} from "../../../app/trust/sides.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { type Owner, ownerWithTeams } from "../owners.ts";
import { heldDevices } from "../people/holdings.ts";
import { currentMembers, type Member } from "../people/members.ts";
import { queue } from "../queue.ts";
import type { StoredVoice } from "./validators.ts";

/*
 * The devices that may check an answer. A verdict needs the voices of different people: app/trust/sides.ts.
 */

/** An answer, its device, and the voices about it so far. */
export type Checked = {
  readonly order: Doc<"orders">;
  readonly deviceId: Id<"devices">;
  readonly voices: readonly StoredVoice[];
};

/** The device that answered, and those that replayed the answer already. */
type Sides = { readonly accused: Side; readonly heard: readonly Side[] };

/** Whether the answer was written by grammars that other versions of Gleaner may not make. Those of canaries are the same in all versions. */
function hasOwnGrammar({ constrained, canary }: Doc<"orders">): boolean {
  return constrained === true && canary === undefined;
}

/** Null: it tells no version, or one that this program does not know. A device may invent one. */
async function knownGrammarOf(ctx: QueryCtx, deviceId: Id<"devices">): Promise<string | null> {
  const device = await ctx.db.get("devices", deviceId);
  if (device === null) return null;
  const worker = await queue.workers.get(ctx, device.organizationId, device.workerId);
  const told = grammarOf(worker?.capabilities?.tags);
  return told !== null && isKnownGrammar(told) ? told : null;
}

/**
 * Whether a checker has the grammars of the device that answered.
 * - `same`: both have the grammars of this program. Or the answer has no grammar that depends on the version.
 * - `old`: both have the same grammars, and they are older than those of this program. If few devices have them, these may be of friends.
 * - `other`: the checker has different grammars. They may cause a mismatch, so it accuses nobody.
 * - `unknown`: this program does not know the version of the device that answered. Two devices may invent the same one, so it never counts
 *   as the same.
 */
export type GrammarsOfReading = "same" | "old" | "other" | "unknown";

export async function grammarsOfReading(
  ctx: QueryCtx,
  checked: Checked,
  checker: Id<"devices">,
): Promise<GrammarsOfReading> {
  if (!hasOwnGrammar(checked.order)) return "same";
  const grammar = await knownGrammarOf(ctx, checked.deviceId);
  if (grammar === null) return "unknown";
  if (grammar !== (await knownGrammarOf(ctx, checker))) return "other";
  return isOldGrammar(grammar) ? "old" : "same";
}

/** Whether a device's word about an answer is heard: no person behind it has a voice about the answer, or gave the answer. */
export async function isHeard(
  ctx: QueryCtx,
  checked: Checked,
  deviceId: Id<"devices">,
  device: Doc<"devices"> | null,
): Promise<boolean> {
  const people = new People(ctx, checked.order.organizationId);
  const { accused, heard } = await sidesOf(ctx, people, checked);
  return mayReplay(await people.behind(deviceId, device?.owner, device), accused, heard);
}

/** A device or an API key. */
type Owned = { readonly _id: string; readonly owner?: Owner } & Pick<Doc<"devices">, "givers">;

/** The devices or keys, in their order, of whose people none is behind some other devices. */
export async function ofOtherSides<Some extends Owned>(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  some: readonly Some[],
  others: readonly Doc<"devices">[],
): Promise<Some[]> {
  const people = new People(ctx, organizationId);
  const sideOf = async (each: Owned): Promise<Side> => await people.behind(each._id, each.owner, each);
  const taken = await Promise.all(others.map(sideOf));
  const sides = await Promise.all(some.map(sideOf));
  return some.filter((_, index) => {
    const side = sides[index];
    return side !== undefined && !taken.some((each) => areOneSide(each, side));
  });
}

/** With the owners of then, as handing a device over changes no voice. What is not known of then is taken from the device of now. */
async function sidesOf(
  ctx: QueryCtx,
  people: People,
  { order: { paidOwner }, deviceId, voices }: Checked,
): Promise<Sides> {
  const sideOf = async (id: Id<"devices">, ownerThen: Owner | null | undefined): Promise<Side> => {
    const device = await ctx.db.get("devices", id);
    const owner = ownerThen === undefined ? device?.owner : (ownerThen ?? undefined);
    return await people.behind(id, owner, device);
  };
  const [accused, heard] = await Promise.all([
    sideOf(deviceId, paidOwner),
    Promise.all(voices.map(async (voice) => await sideOf(voice.deviceId, voice.owner))),
  ]);
  return { accused, heard };
}

/** The members among whom those of a team are looked for. */
const mostMembersRead = 500;

/** The people of an organization as far as they are behind devices. Each owner, and the members, are read once. */
class People {
  readonly #ctx: QueryCtx;
  readonly #organizationId: Id<"organizations">;
  readonly #known = new Map<Owner, Promise<SideOwner>>();
  #members: Promise<readonly Member[]> | undefined;

  constructor(ctx: QueryCtx, organizationId: Id<"organizations">) {
    this.#ctx = ctx;
    this.#organizationId = organizationId;
  }

  /** A device or a key with its owner, and with those who had it before. */
  async behind(
    id: string,
    owner: Owner | undefined,
    device: Pick<Doc<"devices">, "givers"> | null,
  ): Promise<Side> {
    const givers = await Promise.all((device?.givers ?? []).map(async (giver) => await this.#owner(giver)));
    const before = givers.length === 0 ? {} : { givers };
    return owner === undefined
      ? { device: id, ...before }
      : { device: id, owner: await this.#owner(owner), ...before };
  }

  async #owner(owner: Owner): Promise<SideOwner> {
    const known = this.#known.get(owner) ?? this.#read(owner);
    this.#known.set(owner, known);
    return await known;
  }

  async #read(owner: Owner): Promise<SideOwner> {
    const found = await ownerWithTeams(this.#ctx, owner);
    const teamId = this.#ctx.db.normalizeId("teams", owner);
    if (teamId === null) return found;
    this.#members ??= currentMembers(this.#ctx, this.#organizationId, mostMembersRead);
    const members = (await this.#members).filter(({ teamIds }) => teamIds.includes(teamId));
    return { ...found, members: members.map(({ _id }) => _id) };
  }
}

/** The devices that are kept from a replay. The queue takes no more, and the word of any others is not heard. */
const mostKept = 200;

/** The devices of an answer's sides, and then all others of the same people. */
async function devicesOfSides(ctx: QueryCtx, { accused, heard }: Sides): Promise<readonly Doc<"devices">[]> {
  const sides = [accused, ...heard];
  const found = new Map<Id<"devices">, Doc<"devices">>();
  for (const { device } of sides) {
    const deviceId = ctx.db.normalizeId("devices", device);
    const row = deviceId === null ? null : await ctx.db.get("devices", deviceId);
    if (row !== null) found.set(row._id, row);
  }
  const owners = sides.flatMap(ownersOf);
  const names = new Set(owners.flatMap(({ id, teams, members = [] }) => [id, ...teams, ...members]));
  for (const name of names) {
    if (found.size >= mostKept) break;
    for (const row of await heldDevices(ctx, name as Owner, mostKept - found.size)) found.set(row._id, row);
  }
  return [...found.values()];
}

/** Which devices may replay an answer. */
export type Checkers = {
  /** Those that may not. */
  readonly kept: readonly Doc<"devices">[];
  /**
   * Tags that the others have to report. Of an answer in a format, checkers need the same grammars as its device, if one of them is online.
   * If none is, or nobody knows the version, the others may. So may they sometimes if the version is old. Else devices that name a version
   * of their own would escape all checks of formats, or have each other as their only checkers.
   */
  readonly tags: readonly string[];
};

/** Null: no other device that is online could replay the answer. */
export async function checkersOf(ctx: QueryCtx, checked: Checked): Promise<Checkers | null> {
  const people = new People(ctx, checked.order.organizationId);
  const sides = await sidesOf(ctx, people, checked);
  const known = await devicesOfSides(ctx, sides);
  const grammar = hasOwnGrammar(checked.order) ? await knownGrammarOf(ctx, checked.deviceId) : null;
  const { hasChecker, ofSides, hasGrammar } = await onlineDevices(ctx, checked.order, {
    people,
    sides,
    known,
    grammar,
  });
  if (!hasChecker) return null;
  // The queue gives replays to devices that are online, so these come first.
  const inOrder = [...known.slice(0, 1 + sides.heard.length), ...ofSides, ...known];
  const kept = new Map(inOrder.map((device) => [device._id, device]));
  const isOfAny = grammar === null || (checked.voices.length === 0 && isReadByAny(grammar));
  const tags = hasGrammar && !isOfAny ? [grammar] : [];
  return { kept: [...kept.values()].slice(0, mostKept), tags };
}

/**
 * The share of the answers by old grammars that any device may read. Without it the only two devices with such a version would never be
 * read by anybody else.
 */
const readByAny = 0.5;

function isReadByAny(grammar: string): boolean {
  return isOldGrammar(grammar) && Math.random() < readByAny;
}

/** The devices in service whose owners are read. */
const mostCounted = 300;

/**
 * How many sides the organization's devices in service have: with one, no answer can be checked, and with two no doubt can be decided. It
 * counts to three. Null: not all devices were read, so there may be more.
 */
export async function sidesInService(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<number | null> {
  const devices = await ctx.db
    .query("devices")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId).eq("status", "active"))
    .take(mostCounted + 1);
  const people = new People(ctx, organizationId);
  const sides = devices.map(async (device) => await people.behind(device._id, device.owner, device));
  const count = countSides(await Promise.all(sides));
  return count < mostSides && devices.length > mostCounted ? null : count;
}

/** The devices that are read, online ones first. Mostly one of the first can check. */
const pageSizes = [10, 100, 200] as const;

type OnlineDevices = {
  /** Whether one of them may replay the answer. In a larger fleet than is read, there is one. */
  readonly hasChecker: boolean;
  /** Those that could replay it, but are of a side that has a voice. */
  readonly ofSides: readonly Doc<"devices">[];
  /** Whether one that may replay it has the wanted grammars, or none are wanted. */
  readonly hasGrammar: boolean;
};

type Searched = {
  readonly people: People;
  readonly sides: Sides;
  readonly known: readonly Doc<"devices">[];
  /** Null: any will do. */
  readonly grammar: string | null;
};

/**
 * Looks among the devices in service that are online for one that could replay an answer. It may read the text only if it could have got
 * the job. Devices that somebody handed over, and those beyond the ones that are kept, are known only here.
 */
async function onlineDevices(
  ctx: QueryCtx,
  { organizationId, jobId, modelId }: Doc<"orders">,
  { people, sides: { accused, heard }, known, grammar }: Searched,
): Promise<OnlineDevices> {
  const needs = (await queue.status(ctx, organizationId, jobId))?.requirements ?? {};
  const isAble = (worker: WorkerView): boolean => {
    const { status, online, capabilities } = worker;
    return (
      status === "active" &&
      online &&
      isGiven(worker, needs) &&
      capabilities?.kinds.includes("replay") === true &&
      (capabilities.models ?? []).includes(modelId)
    );
  };
  const ofKnown = new Map<string, Doc<"devices">>(known.map((device) => [device._id, device]));
  const ofSides: Doc<"devices">[] = [];
  let cursor: string | null = null;
  let hasChecker = false;
  let hasGrammar = false;
  for (const numItems of pageSizes) {
    const found: { readonly page: readonly WorkerView[]; readonly isDone: boolean; continueCursor: string } =
      await queue.workers.list(ctx, organizationId, { paginationOpts: { numItems, cursor } });
    for (const { externalId, capabilities } of found.page.filter(isAble)) {
      const deviceId = ctx.db.normalizeId("devices", externalId ?? "");
      if (deviceId === null) continue;
      const device = ofKnown.get(deviceId) ?? (await ctx.db.get("devices", deviceId));
      if (device === null) continue;
      const isOfSides =
        ofKnown.has(deviceId) ||
        !mayReplay(await people.behind(deviceId, device.owner, device), accused, heard);
      if (isOfSides) ofSides.push(device);
      else {
        hasChecker = true;
        hasGrammar ||= grammar === null || grammarOf(capabilities?.tags) === grammar;
      }
    }
    if (hasGrammar || found.isDone) return { hasChecker, ofSides, hasGrammar };
    cursor = found.continueCursor;
  }
  return { hasChecker: true, ofSides, hasGrammar };
}
