import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { wordedActs } from "../../app/audit/act-words.ts";
import { rates } from "../../app/jobs/limits.ts";
import { needsProof, proofMs } from "../../app/people/fresh-rights.ts";
import { scopeOf } from "../../app/people/rights.ts";
import { type Role, roles } from "../../app/people/roles.ts";
import { api, internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import {
  addDevice,
  addOrganization,
  type Backend,
  type Organization,
  secret,
  signIn,
  startBackend,
  submit,
} from "./backend.fixture.ts";
import { fittingArgs, type Ids } from "./idPlaces.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { type PublicFunction, publicFunctions } from "./publicFunctions.fixture.ts";
import { inWords, isKeptOut, outcomeOf, rowsOf } from "./rights.fixture.ts";

const functions = await publicFunctions();
const ofMembers = functions.filter(({ right }) => right !== null);

/** How the public functions without a session know their caller. A new one must be added here. */
const otherCallers: Readonly<Record<string, string>> = {
  "console/account:signIn": "token",
  "console/account:acceptInvite": "token",
  "console/account:invitation": "token",
  "console/account:signOut": "session",
  "console/account:me": "session",
  "console/access/mail:forgotPassword": "email",
  "console/access/passwords:signIn": "password",
  "console/access/passkeys:begin": "page",
  "console/access/passkeys:signIn": "session",
  "console/access/secondFactor:signIn": "session",
  "console/access/signIn:options": "organizationId",
  "console/access/signIn:finish": "code",
  "console/access/singleSignOn:begin": "providerId",
  "devices:enroll": "code",
  "devices:confirmation": "codeHash",
  "devices:invitation": "code",
  "devices:*": "key",
  "work:*": "key",
  "requests:*": "apiKey",
};

/** All that a session may do that lacks the second factor its organization asks for. */
const beforeSecondFactor: readonly string[] = [
  "console/access/passkeys:add",
  "console/access/passkeys:beginAdd",
  "console/access/passkeys:prove",
  "console/access/passwords:prove",
  "console/access/secondFactor:begin",
  "console/access/secondFactor:confirm",
  "console/access/secondFactor:prove",
  "console/access/signIn:own",
  "console/account:use",
];

const lastingActs: readonly string[] = [
  "console/devices:setOwner",
  "console/keys:create",
  "console/keys:revoke",
  "console/keys:rotate",
  "console/keys:setAccess",
  "console/keys:setOwner",
  "console/keys:setRights",
  "console/people:change",
  "console/people:remove",
];

/** In an emergency they must be quick, and each of them can be undone. */
const quickActs: readonly string[] = [
  "console/bulkDevices:prepare",
  "console/bulkDevices:run",
  "console/devices:pause",
  "console/devices:retire",
];

let t: Backend;
let acme: Organization;
let owner: string;

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  t = startBackend();
  acme = await addOrganization(t);
  owner = await signIn(t, acme);
});

afterEach(() => {
  vi.useRealTimers();
});

/** A member with these roles, and their session. */
async function join(held: readonly Role[]): ReturnType<typeof joinAs> {
  return await joinAs(t, owner, { name: held.join(), roles: held });
}

/** The functions that the audit trail says were refused, oldest first. */
async function refusedActs(): Promise<readonly string[]> {
  const rows = await t.run(async (ctx) => await ctx.db.query("audit").collect());
  return rows.flatMap(({ action, subject }) => (action === "act.refused" ? [subject] : []));
}

describe("public functions", () => {
  it("have words for the audit trail if they change something", () => {
    const acts = ofMembers.filter(({ type }) => type !== "query").map(({ name }) => name);
    expect(wordedActs).toEqual(acts);
  });

  it("name a right or another way to know their caller", () => {
    const unknown = functions.filter(({ name, right, args }) => {
      const [module = ""] = name.split(":");
      const secretArg = right === null ? (otherCallers[name] ?? otherCallers[`${module}:*`]) : "session";
      return secretArg === undefined || args[secretArg] === undefined;
    });
    expect(unknown.map(({ name }) => name)).toEqual([]);
    expect(ofMembers.length).toBeGreaterThan(60);
  });

  it.each(roles)("admit the role %s exactly where the table of rights does", async (role) => {
    await addDevice(t, acme);
    const ids = await rowsOf(t, acme, owner);
    const { session } = await join([role]);
    const cells: Record<string, boolean> = {};
    for (const called of ofMembers) {
      cells[called.name] = !isKeptOut(await outcomeOf(t, called, { ...fittingArgs(called, ids), session }));
    }
    const expected = ofMembers.map(({ name, right }) => [name, scopeOf(right!, [role]) !== null]);
    expect(cells).toEqual(Object.fromEntries(expected));
    const refused = ofMembers.filter(({ name, type }) => type !== "query" && cells[name] === false);
    const recorded = refused.slice(0, rates.auditedRefusals.burst).map(({ name }) => name);
    expect((await refusedActs()).filter((name) => refused.some((one) => one.name === name))).toEqual(
      recorded,
    );
  });

  it("refuse an unknown session, and one whose member was removed", async () => {
    await addDevice(t, acme);
    const ids = await rowsOf(t, acme, owner);
    const { session, memberId } = await join(["owner"]);
    await t.mutation(api.console.people.remove, { session: owner, memberId });
    for (const wrong of [session, secret("gs_")]) {
      for (const called of ofMembers) {
        const outcome = await outcomeOf(t, called, { ...fittingArgs(called, ids), session: wrong });
        expect([called.name, outcome]).toMatchObject([called.name, { refusal: { code: "unauthorized" } }]);
      }
    }
  });

  it("give a session that lacks the required second factor nothing but the setup", async () => {
    await addDevice(t, acme);
    const ids = await rowsOf(t, acme, owner);
    const { session } = await join(["owner"]);
    await t.mutation(api.console.access.secondFactor.setRule, { session: owner, rule: "required" });
    const open: string[] = [];
    for (const called of ofMembers) {
      const outcome = await outcomeOf(t, called, { ...fittingArgs(called, ids), session });
      const code = "refusal" in outcome ? outcome.refusal.code : null;
      if (code !== "second_factor_needed") open.push(called.name);
    }
    expect(open).toEqual(beforeSecondFactor);
  });

  it("ask for a fresh proof before acts that last", async () => {
    await addDevice(t, acme);
    const ids = await rowsOf(t, acme, owner);
    const { session } = await join(["owner"]);
    await t.action(api.console.access.passwords.set, { session, password: "correct horse battery" });
    vi.setSystemTime(Date.now() + proofMs + 1);
    const asked: string[] = [];
    for (const called of ofMembers) {
      const outcome = await outcomeOf(t, called, { ...fittingArgs(called, ids), session });
      if ("refusal" in outcome && outcome.refusal.code === "proof_needed") asked.push(called.name);
    }
    const byRight = ofMembers.filter(
      ({ right, type }) => type !== "query" && right !== null && needsProof(right),
    );
    expect(asked).toEqual(expect.arrayContaining(byRight.map(({ name }) => name)));
    expect(asked).toEqual(expect.arrayContaining([...lastingActs]));
    expect(asked.filter((name) => quickActs.includes(name))).toEqual([]);
  });

  it.each(roles)("give another organization's %s nothing of this one", async (role) => {
    await addDevice(t, acme);
    const jobId = await submit(t, acme);
    const ids = await rowsOf(t, acme, owner);
    const rival = await addOrganization(t, { name: "Rival" });
    owner = await signIn(t, rival);
    const { session } = await join([role]);
    const before = await rowsInWords(ids);
    const secrets = [...Object.values(ids), jobId, acme.organizationId];
    for (const called of ofMembers) {
      const args = { ...fittingArgs(called, ids), ...("jobId" in called.args ? { jobId } : {}), session };
      const outcome = await outcomeOf(t, called, args);
      const named = called.args["jobId"] !== undefined || idsIn(called).length > 0;
      const isMine = !isKeptOut(outcome);
      if (named && isMine) {
        expect([called.name, outcome]).toMatchObject([called.name, { refusal: { code: "not_found" } }]);
      }
      const words = inWords(outcome);
      expect([called.name, secrets.filter((one) => words.includes(one))]).toEqual([called.name, []]);
    }
    expect(await rowsInWords(ids)).toEqual(before);
  });

  it.each(["requester", "donor"] as const)(
    "show a %s only their own keys, jobs and devices",
    async (role) => {
      const { deviceId } = await addDevice(t, acme);
      const jobId = await submit(t, acme);
      const ids = await rowsOf(t, acme, owner);
      const { session } = await join([role]);
      for (const called of ofMembers) {
        const scope = scopeOf(called.right!, [role]);
        if (scope === null || called.right === "account") continue;
        const args = { ...fittingArgs(called, ids), ...("jobId" in called.args ? { jobId } : {}), session };
        const outcome = await outcomeOf(t, called, args);
        const named = called.args["jobId"] !== undefined || idsIn(called).length > 0;
        // Credits are given to others.
        if (scope === "own" && named && called.name !== "console/money/credits:give") {
          expect([called.name, outcome]).toMatchObject([called.name, { refusal: { code: "not_found" } }]);
        }
        const words = inWords(outcome);
        const seen = [ids["apiKeys"]!, deviceId, jobId].filter((one) => words.includes(one));
        expect([called.name, seen]).toEqual([called.name, []]);
      }
    },
  );

  it("show a requester no device of a model, and a donor only their own", async () => {
    const { deviceId } = await addDevice(t, acme);
    const { organizationId } = acme;
    await t.run(async (ctx) => {
      const models = [{ modelId: "m", state: "ready" as const }];
      await ctx.db.insert("deviceModels", { organizationId, deviceId, models, reportedAt: 0 });
    });
    const seenBy = async (session: string) =>
      (await t.query(api.console.models.devices, { session, modelId: "m" })).map((row) => row.deviceId);
    expect(await seenBy(owner)).toEqual([deviceId]);
    const donor = await join(["donor"]);
    expect(await seenBy(donor.session)).toEqual([]);
    await t.run(async (ctx) => await ctx.db.patch("devices", deviceId, { owner: donor.memberId }));
    expect(await seenBy(donor.session)).toEqual([deviceId]);
    await expect(seenBy((await join(["requester"])).session)).rejects.toThrow("forbidden");
  });
});

/** The tables whose ids a function takes. */
function idsIn({ args }: PublicFunction): readonly string[] {
  return Object.values(args).flatMap(({ fieldType }) =>
    fieldType.type === "id" ? [fieldType.tableName] : [],
  );
}

async function rowsInWords(ids: Ids): Promise<readonly unknown[]> {
  return await t.run(
    async (ctx) =>
      await Promise.all(
        Object.entries(ids).map(([table, id]) => ctx.db.get(table as "members", id as Id<"members">)),
      ),
  );
}

it("counts the operator's functions apart: they take the deployment's admin key", async () => {
  const names = functions.map(({ name }) => name);
  expect(names.filter((name) => name.startsWith("setup:"))).toEqual([]);
  expect(await t.query(internal.setup.status, {})).toMatchObject({ organizations: [{ name: "Acme" }] });
});
