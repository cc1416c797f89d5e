import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { scopeOf } from "../../app/people/rights.ts";
import { roles } from "../../app/people/roles.ts";
import { api } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import schema from "../schema.ts";
import { addDevice, addOrganization, type Backend, type Organization, signIn } from "./backend.fixture.ts";
import { idPlaces, type Ids } from "./idPlaces.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { publicFunctions } from "./publicFunctions.fixture.ts";
import { inWords, isKeptOut, type Outcome, outcomeOf, rowsOf } from "./rights.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

const functions = await publicFunctions();
const ofMembers = functions.filter(({ right }) => right !== null);

let t: Backend;
let acme: Organization;
let owner: string;

beforeEach(async () => {
  ({ t, acme, session: owner } = await openWorld());
});

afterEach(closeWorld);

describe("an id in any place of the arguments", () => {
  const places = ofMembers.flatMap((called) => idPlaces(called.args).map((place) => ({ called, place })));

  it("is found in arrays, objects and unions", () => {
    const paths = places.map(({ called, place }) => `${called.name} ${place.path} ${place.table}`);
    expect(paths).toEqual(
      expect.arrayContaining([
        "console/bulkDevices:prepare chosen.deviceIds[] devices",
        "console/bulkDevices:prepare chosen.filters.owner teams",
        "console/people:remove things members",
        "console/people:setTeams teamIds[] teams",
      ]),
    );
  });

  it.each(roles)("is refused to the role %s if it is of another organization", async (role) => {
    await addDevice(t, acme);
    const foreign = await rowsOf(t, acme, owner);
    const rival = await addOrganization(t, { name: "Rival" });
    owner = await signIn(t, rival);
    await addDevice(t, rival);
    const own = await rowsOf(t, rival, owner);
    const { session } = await joinAs(t, owner, { name: role, roles: [role] });
    const refused: Record<string, string> = {};
    for (const { called, place } of places) {
      const before = await everything();
      const args = { ...place.args(foreign[place.table]!, own), session };
      const outcome = await outcomeOf(t, called, args);
      refused[`${called.name} ${place.path} ${place.table}`] = endOf(outcome);
      expect([called.name, place.path, changes(before, await everything())]).toEqual([
        called.name,
        place.path,
        [],
      ]);
    }
    const expected = places.map(({ called, place }) => [
      `${called.name} ${place.path} ${place.table}`,
      scopeOf(called.right!, [role]) === null ? "kept out" : "not_found",
    ]);
    expect(refused).toEqual(Object.fromEntries(expected));
  });

  it("is refused to a device and to an API key of another organization", async () => {
    const withKeys = functions.filter(({ right, args }) => right === null && "key" in args);
    const found = withKeys.flatMap((called) => idPlaces(called.args).map((place) => ({ called, place })));
    expect(found.map(({ called }) => called.name)).toEqual(["devices:answerPreview"]);
    await addDevice(t, acme);
    const draft = { rules: { values: { idleAfterSeconds: 900 }, locked: [] } };
    const asked = { session: owner, group: "", draft };
    const { previewId } = await t.mutation(api.console.policy.startPreview, asked);
    const rival = await addOrganization(t, { name: "Rival" });
    const { key } = await addDevice(t, rival);
    const before = await everything();
    for (const { called, place } of found) {
      // An answer that comes too late is dropped without a word, too.
      expect(await outcomeOf(t, called, { ...place.args(previewId, {}), key })).toEqual({ answer: null });
      expect([called.name, changes(before, await everything())]).toEqual([called.name, []]);
    }
  });

  it.each(["requester", "donor"] as const)(
    "is refused to a %s if it is of another member, and their own would be accepted",
    async (role) => {
      await addDevice(t, acme);
      const others = await rowsOf(t, acme, owner);
      const { session, memberId } = await joinAs(t, owner, { name: role, roles: [role] });
      const own = await ownRowsOf(session, memberId, others);
      const refused: Record<string, string> = {};
      const expected: Record<string, string> = {};
      for (const { called, place } of places) {
        if (scopeOf(called.right!, [role]) !== "own") continue;
        const name = `${called.name} ${place.path} ${place.table}`;
        if (mayNameOthers.includes(`${called.name} ${place.path}`)) continue;
        const before = await everything();
        const outcome = await outcomeOf(t, called, { ...place.args(others[place.table]!, own), session });
        refused[name] = endOf(outcome);
        expected[name] = "not_found";
        expect([name, changes(before, await everything())]).toEqual([name, []]);
      }
      expect(Object.keys(expected).length).toBeGreaterThan(5);
      expect(refused).toEqual(expected);
    },
  );
});

/** A member hands their own things over, and gives credits, to anybody of the organization. */
const mayNameOthers: readonly string[] = [
  "console/devices:setOwner owner",
  "console/keys:setOwner owner",
  "console/money/credits:give to",
];

/** How a call ended, in a word. */
function endOf(outcome: Outcome): string {
  if ("answer" in outcome) return "answered";
  return isKeptOut(outcome) ? "kept out" : outcome.refusal.code;
}

/** The rows of a member: a key, a device and a session. Other tables have no owner. */
async function ownRowsOf(session: string, memberId: Id<"members">, others: Ids): Promise<Ids> {
  return await t.run(async (ctx) => {
    const copyOf = async (table: "apiKeys" | "devices") => {
      const { _id, _creationTime, ...row } = (await ctx.db.get(table, others[table] as Id<typeof table>))!;
      return await ctx.db.insert(table, { ...row, owner: memberId });
    };
    const own = await ctx.db
      .query("sessions")
      .withIndex("by_member", (q) => q.eq("memberId", memberId))
      .first();
    return {
      ...others,
      members: memberId,
      sessions: own!._id,
      apiKeys: await copyOf("apiKeys"),
      devices: await copyOf("devices"),
    };
  });
}

type Everything = ReadonlyMap<string, string>;

/** All rows of the backend but the trail of refused acts, in words. */
async function everything(): Promise<Everything> {
  const rows = await t.run(async (ctx) => {
    const tables = Object.keys(schema.tables) as (keyof typeof schema.tables)[];
    return (
      await Promise.all(
        tables
          .filter((table) => table !== "audit")
          .map(async (table) =>
            (await ctx.db.query(table).collect()).map(
              (row) => [`${table} ${row._id}`, inWords(row)] as const,
            ),
          ),
      )
    ).flat();
  });
  return new Map(rows);
}

/** The rows that are new, changed or gone. */
function changes(before: Everything, after: Everything): readonly string[] {
  const all = new Set([...before.keys(), ...after.keys()]);
  return [...all].filter((row) => before.get(row) !== after.get(row));
}
