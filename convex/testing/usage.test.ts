import type { FunctionArgs } from "convex/server";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { UsageRow } from "../../app/usage/usage-table.ts";
import { api, internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { hashSecret } from "../model/authenticate.ts";
import {
  addDevice,
  addOrganization,
  answerMicro,
  type Backend,
  claim,
  complete,
  type Device,
  expectRefusal,
  listKeys,
  modelId,
  type Organization,
  pass,
  secret,
  signIn,
  submit,
} from "./backend.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { countStatistics } from "./statistics.fixture.ts";
import { addWebhook, deliver, startReceiver } from "./webhook.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;
let device: Device;
let ada: { session: string; memberId: Id<"members"> };
let bo: { session: string; memberId: Id<"members"> };
let lab: Id<"teams">;
let firstKey: Id<"apiKeys">;

const dayMs = 86_400_000;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
  device = await addDevice(t, acme);
  ada = await joinAs(t, session, { name: "Ada", roles: ["requester"] });
  bo = await joinAs(t, session, { name: "Bo", roles: ["donor"] });
  lab = (await t.mutation(api.console.people.createTeam, { session, name: "Lab" })).teamId;
  await t.mutation(api.console.people.setTeams, { session, memberId: ada.memberId, teamIds: [lab] });
  const { deviceId } = device;
  await t.mutation(api.console.devices.setOwner, { session, deviceId, owner: bo.memberId });
  ({ keyId: firstKey } = await t.query(internal.requests.identify, { apiKey: acme.apiKey }));
});

afterEach(closeWorld);

/** A new key of an owner. */
async function addKey(
  name: string,
  owner: Id<"members"> | Id<"teams">,
): Promise<{ readonly apiKey: string; readonly keyId: Id<"apiKeys"> }> {
  const apiKey = secret("sk-gleaner-");
  const keyHash = await hashSecret(apiKey);
  const prefix = apiKey.slice(0, 14);
  await t.mutation(api.console.keys.create, { session, name, keyHash, prefix, creditsMicro: 10_000_000n });
  const { keyId } = await t.query(internal.requests.identify, { apiKey });
  await t.mutation(api.console.keys.setOwner, { session, keyId, owner });
  return { apiKey, keyId };
}

async function answer(by: { readonly apiKey: string } = acme, runMs = 2_000): Promise<void> {
  const jobId = await submit(t, by);
  vi.setSystemTime(Date.now() + 1_000);
  const attemptId = await claim(t, device, jobId);
  vi.setSystemTime(Date.now() + runMs);
  await complete(t, device, attemptId);
}

type By = "day" | "model" | "key" | "team" | "member";
const reportBy = async (by: By, as = session, owner?: Id<"members"> | Id<"teams">) =>
  await t.query(api.console.usage.report, {
    session: as,
    by,
    days: 7,
    until: Date.now(),
    ...(owner === undefined ? {} : { owner }),
  });
const earningsBy = async (by: "day" | "device" | "group", as = session) =>
  await t.query(api.console.usage.earnings, { session: as, by, days: 7, until: Date.now() });

function totalOf(rows: readonly UsageRow[]) {
  return rows.reduce(
    (sum, { jobs, promptTokens, micro, runMs }) => ({
      jobs: sum.jobs + jobs,
      promptTokens: sum.promptTokens + promptTokens,
      micro: sum.micro + micro,
      runMs: sum.runMs + runMs,
    }),
    { jobs: 0, promptTokens: 0, micro: 0n, runMs: 0 },
  );
}

const microBySubject = (rows: readonly UsageRow[]) =>
  Object.fromEntries(rows.map(({ subject, micro }) => [subject, micro]));

describe("the usage of an organization", () => {
  it("has tokens, jobs, device time, success and waits by day, model, key, team and member", async () => {
    const [ofAda, ofLab] = [await addKey("Ada's", ada.memberId), await addKey("Lab's", lab)];
    await answer();
    await answer(ofAda);
    await answer(ofLab);
    await countStatistics(t, acme);
    vi.setSystemTime(Date.now() + dayMs);
    await answer(ofLab);
    await countStatistics(t, acme);
    const expected = { jobs: 4, promptTokens: 40, micro: 4n * answerMicro, runMs: 8_000 };
    for (const by of ["day", "model", "key", "team", "member"] as const) {
      expect([by, totalOf((await reportBy(by)).rows)]).toEqual([by, expected]);
    }
    expect((await reportBy("model")).rows).toMatchObject([
      { subject: modelId, name: modelId, successRate: 1, completionTokens: 12 },
    ]);
    const [model] = (await reportBy("model")).rows;
    expect(model!.waitP50).toBeGreaterThan(900);
    expect(model!.waitP95).toBeLessThan(1_100);
    const one = answerMicro;
    expect((await reportBy("day")).rows.map(({ subject, micro }) => [subject, micro])).toEqual([
      ["2027-01-15", 3n * one],
      ["2027-01-16", one],
    ]);
    expect(microBySubject((await reportBy("team")).rows)).toEqual({ [lab]: 2n * one, none: 2n * one });
    expect(microBySubject((await reportBy("member")).rows)).toEqual({ [ada.memberId]: one, none: 3n * one });
    const names = (await reportBy("member")).rows.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["Ada", null]));
  });

  it("has the same numbers as the statistics", async () => {
    await answer();
    await answer(await addKey("Ada's", ada.memberId));
    await countStatistics(t, acme);
    for (const by of ["model", "key"] as const) {
      const wanted = { session, by, range: "week" as const, until: Date.now() };
      const { subjects } = await t.query(api.console.statistics.report, wanted);
      const shown = subjects.map(({ subject, summary }) => ({
        subject,
        micro: summary.micro,
        promptTokens: summary.promptTokens,
        successRate: summary.successRate,
      }));
      expect((await reportBy(by)).rows).toMatchObject(shown);
    }
  });

  it("leaves out the days before the time", async () => {
    await answer();
    await countStatistics(t, acme);
    vi.setSystemTime(Date.now() + 8 * dayMs);
    await answer();
    await countStatistics(t, acme);
    expect(totalOf((await reportBy("day")).rows).jobs).toBe(1);
    const wanted = { session, by: "day" as const, days: 30 as const, until: Date.now() };
    expect(totalOf((await t.query(api.console.usage.report, wanted)).rows).jobs).toBe(2);
  });

  it("counts jobs from before it was kept by owner as others, so that the totals stay equal", async () => {
    await answer();
    await countStatistics(t, acme);
    await t.run(async (ctx) => {
      for (const row of await ctx.db.query("statistics").collect())
        if (row.by === "member" || row.by === "team") await ctx.db.delete("statistics", row._id);
      const progress = await ctx.db.query("statisticsProgress").first();
      await ctx.db.patch("statisticsProgress", progress!._id, { usageFrom: undefined });
    });
    await answer(await addKey("Ada's", ada.memberId));
    await countStatistics(t, acme);
    const { rows } = await reportBy("member");
    expect(microBySubject(rows)).toEqual({ [ada.memberId]: answerMicro, "": answerMicro });
    expect(totalOf(rows)).toEqual(totalOf((await reportBy("day")).rows));
  });

  it("is counted once, however often the count runs", async () => {
    await answer();
    await countStatistics(t, acme);
    const rows = async () => await t.run(async (ctx) => await ctx.db.query("usageMonths").collect());
    const before = await rows();
    await countStatistics(t, acme);
    expect(await rows()).toEqual(before);
    expect(before.map(({ subject }) => subject).sort()).toEqual(
      [acme.organizationId, firstKey, device.deviceId].sort(),
    );
  });

  it("refuses a time that is none", async () => {
    const wanted = { session, by: "day" as const, days: 7 as const };
    await expectRefusal(t.query(api.console.usage.report, { ...wanted, until: NaN }), "invalid");
    await expectRefusal(t.query(api.console.usage.month, { session, now: -1 }), "invalid");
  });
});

describe("a requester", () => {
  it("sees the usage of their own keys, and of a team of theirs", async () => {
    await answer();
    await answer(await addKey("Ada's", ada.memberId));
    await answer(await addKey("Lab's", lab));
    await answer(await addKey("Lab's second", lab));
    await countStatistics(t, acme);
    const own = await reportBy("key", ada.session);
    expect(own.rows.map(({ name, jobs }) => [name, jobs])).toEqual([["Ada's", 1]]);
    expect(totalOf(own.rows)).toEqual(totalOf((await reportBy("model", ada.session)).rows));
    expect(totalOf(own.rows)).toEqual(totalOf((await reportBy("day", ada.session)).rows));
    expect(own.rows[0]!.waitP50).toBeGreaterThan(900);
    const team = await reportBy("key", ada.session, lab);
    expect(team.rows.map(({ name }) => name).sort()).toEqual(["Lab's", "Lab's second"]);
    const { rows } = await reportBy("team");
    expect(rows.find(({ subject }) => subject === lab)!.micro).toBe(totalOf(team.rows).micro);
  });

  it("sees nobody else's usage, and no groupings by people", async () => {
    await expectRefusal(reportBy("day", ada.session, bo.memberId), "not_found");
    await expectRefusal(reportBy("member", ada.session), "invalid");
    await expectRefusal(earningsBy("day", ada.session), "forbidden");
    const now = Date.now();
    const month = t.query(api.console.usage.month, { session: ada.session, now, owner: bo.memberId });
    await expectRefusal(month, "not_found");
  });
});

describe("earnings", () => {
  it("are what the ledger paid, by day, device and group, of all and of one's own devices", async () => {
    await t.mutation(api.console.devices.label, {
      session,
      deviceId: device.deviceId,
      groups: ["office", "gpu"],
      tags: [],
      dataClasses: [],
    });
    await answer();
    await answer();
    await countStatistics(t, acme);
    await t.mutation(internal.maintenance.project, {});
    const earned = 2n * answerMicro;
    const [listed] = await t.run(async (ctx) =>
      (await ctx.db.query("accounts").collect()).filter(({ account }) => account.startsWith("device:")),
    );
    expect(listed!.balanceMicro).toBe(earned);
    for (const as of [session, bo.session]) {
      expect(microBySubject((await earningsBy("day", as)).rows)).toEqual({ "2027-01-15": earned });
      expect(microBySubject((await earningsBy("device", as)).rows)).toEqual({ [device.deviceId]: earned });
      expect(microBySubject((await earningsBy("group", as)).rows)).toEqual({ "gpu, office": earned });
      expect((await earningsBy("device", as)).rows).toMatchObject([
        { name: "laptop", succeeded: 2, runMs: 4_000 },
      ]);
    }
  });

  it("have the tokens by model of one's own devices, and what the organization compares them with", async () => {
    const price = { modelId, prompt: 0.2, completion: 0.6 };
    const entered = { currency: "EUR", watts: 38, gramsPerKwh: 350 };
    const cloudPrices = [price, { ...price, modelId: "another-model" }];
    await t.mutation(api.console.usage.setFacts, { session, cloudPrices, ...entered });
    await answer();
    await countStatistics(t, acme);
    vi.setSystemTime(Date.now() + dayMs);
    await answer();
    await countStatistics(t, acme);
    const tokens = { subject: modelId, promptTokens: 20, completionTokens: 6 };
    for (const by of ["day", "device", "group"] as const) {
      const own = await earningsBy(by, bo.session);
      expect(own).toMatchObject({ models: [tokens], facts: { cloudPrices: [price], ...entered } });
      expect(await earningsBy(by)).toMatchObject({ models: null, facts: { cloudPrices, ...entered } });
    }
  });

  it("have tokens of no model for days from before models were counted", async () => {
    await answer();
    await countStatistics(t, acme);
    await t.run(async (ctx) => {
      for (const { _id, days } of await ctx.db.query("usageMonths").collect())
        await ctx.db.patch("usageMonths", _id, { days: days.map(({ models: _models, ...day }) => day) });
    });
    vi.setSystemTime(Date.now() + dayMs);
    await answer();
    await countStatistics(t, acme);
    const tokens = { promptTokens: 10, completionTokens: 3 };
    expect((await earningsBy("day", bo.session)).models).toEqual([
      { subject: modelId, ...tokens },
      { subject: "", ...tokens },
    ]);
  });

  it("keep few models of a device's day apart, and lose no tokens of the others", async () => {
    const models = Array.from({ length: 10 }, (_, at) => ({
      subject: `m${String(at)}`,
      promptTokens: 1_000 - at,
      completionTokens: 0,
    }));
    const all = models.reduce((sum, { promptTokens }) => sum + promptTokens, 0);
    await answer();
    await countStatistics(t, acme);
    const month = async () =>
      (await t.run(async (ctx) => await ctx.db.query("usageMonths").collect())).find(
        ({ subject }) => subject === device.deviceId,
      )!;
    const { _id, days } = await month();
    const [day] = days;
    const promptTokens = day!.promptTokens + all;
    await t.run(
      async (ctx) =>
        await ctx.db.patch("usageMonths", _id, {
          days: [{ ...day!, promptTokens, models: [...models, ...day!.models!] }],
        }),
    );
    await answer();
    await countStatistics(t, acme);
    const kept = models.slice(0, 6);
    expect((await month()).days[0]!.models).toEqual(kept);
    const others = models.slice(6).reduce((sum, { promptTokens }) => sum + promptTokens, 0);
    expect((await earningsBy("day", bo.session)).models).toEqual([
      ...kept,
      { subject: "", promptTokens: others + 20, completionTokens: 6 },
    ]);
  });

  it("of one's own devices leave out those of others", async () => {
    const { deviceId } = device;
    await answer();
    await t.mutation(api.console.devices.setOwner, { session, deviceId, owner: ada.memberId });
    await countStatistics(t, acme);
    expect(await earningsBy("device", bo.session)).toMatchObject({ rows: [], models: [] });
    await expectRefusal(reportBy("day", bo.session), "forbidden");
  });
});

describe("budgets", () => {
  const list = async (as = session) =>
    await t.query(api.console.budgets.list, { session: as, now: Date.now() });
  const set = async (
    subject: Id<"apiKeys"> | Id<"members"> | Id<"teams">,
    monthlyMicro: bigint | null,
    as = session,
  ) => await t.mutation(api.console.budgets.set, { session: as, subject, monthlyMicro });

  it("of keys, members and teams warn at 80 and at 100 percent of a month", async () => {
    const ofLab = await addKey("Lab's", lab);
    await set(firstKey, 2n * answerMicro);
    await set(ada.memberId, 10n * answerMicro);
    await set(lab, (5n * answerMicro) / 4n);
    expect((await list()).map(({ state }) => state)).toEqual(["ok", "ok", "ok"]);
    await answer();
    await answer();
    await answer(ofLab);
    await countStatistics(t, acme);
    expect(await list()).toMatchObject([
      { subject: firstKey, kind: "key", name: "first key", state: "over", spentMicro: 2n * answerMicro },
      { subject: lab, kind: "team", name: "Lab", state: "near", spentMicro: answerMicro },
      { subject: ada.memberId, kind: "member", name: "Ada", state: "ok", spentMicro: 0n },
    ]);
    // The next month begins with nothing spent.
    vi.setSystemTime(Date.UTC(2027, 1, 1, 1));
    expect((await list()).map(({ spentMicro }) => spentMicro)).toEqual([0n, 0n, 0n]);
  });

  it("are told to webhooks and by mail at 80 and at 100 percent, once each in a month", async () => {
    vi.stubEnv("CONVEX_SITE_URL", "http://127.0.0.1:3211");
    const receiver = await startReceiver();
    const told = () =>
      receiver.messages.map(
        ({ event: { type, data } }) => `${type} ${String(data["count"])} ${String(data["sentence"])}`,
      );
    await addWebhook(t, session, receiver.url, ["budget.near", "budget.over"]);
    await set(firstKey, (5n * answerMicro) / 2n);
    const watch = async (): Promise<void> => {
      await countStatistics(t, acme);
      await t.mutation(internal.fleet.steps.watchBudgets, { organizationId: acme.organizationId });
      await deliver(t);
    };
    await watch();
    await answer();
    await watch();
    expect(told()).toEqual([]);
    await answer();
    await watch();
    await watch();
    expect(told()).toHaveLength(1);
    expect(told()[0]).toMatch(
      /^budget.near 80 The API key first key has used 80% of its budget of this month: .* of .*cr\.$/,
    );
    await answer();
    await watch();
    await watch();
    expect(told()).toHaveLength(2);
    expect(told()[1]).toMatch(/^budget.over 120 The API key first key/);
    // A raised budget warns anew.
    await set(firstKey, (7n * answerMicro) / 2n);
    await watch();
    expect(told()).toHaveLength(2);
    await set(firstKey, 5n * answerMicro);
    await watch();
    await answer();
    await watch();
    expect(told()).toHaveLength(3);
    receiver.close();
    vi.unstubAllEnvs();
  });

  it("are seen by those whom they are about", async () => {
    const ofAda = await addKey("Ada's", ada.memberId);
    for (const subject of [firstKey, ofAda.keyId, lab, bo.memberId]) await set(subject, 5n);
    expect((await list(ada.session)).map(({ name }) => name).sort()).toEqual(["Ada's", "Lab"]);
  });

  it("are set, changed and removed by managers only, and each change is in the audit trail", async () => {
    await expectRefusal(set(firstKey, 5n, ada.session), "forbidden");
    await set(firstKey, 5_000_000n);
    await set(firstKey, 6_000_000n);
    await set(firstKey, null);
    await set(firstKey, null);
    expect(await list()).toEqual([]);
    const paginationOpts = { numItems: 3, cursor: null };
    const { page } = await t.query(api.console.audit.list, { session, paginationOpts });
    expect(page.map(({ action, detail }) => [action, detail])).toEqual([
      ["budget.removed", "credits for a month: 6 → not set"],
      ["budget.set", "credits for a month: 5 → 6"],
      ["budget.set", "credits for a month: not set → 5"],
    ]);
    for (const micro of [0n, -1n, 10n ** 18n]) await expectRefusal(set(firstKey, micro), "invalid");
    const rival = await signIn(t, await addOrganization(t, { name: "Rival" }));
    await expectRefusal(set(firstKey, 5n, rival), "not_found");
  });

  it("refuse new jobs once they are used up, if they are set so, until they are raised or the month ends", async () => {
    const organizationId = acme.organizationId;
    const watch = async (): Promise<void> => {
      await countStatistics(t, acme);
      await t.mutation(internal.fleet.steps.watchBudgets, { organizationId });
    };
    const stop = async (subject: Id<"apiKeys"> | Id<"members">, monthlyMicro: bigint, stops = true) =>
      await t.mutation(api.console.budgets.set, { session, subject, monthlyMicro, stops });
    await stop(firstKey, answerMicro);
    await answer();
    await watch();
    await expectRefusal(submit(t, acme), "quota_exceeded");
    await stop(firstKey, answerMicro, false);
    await answer();
    await stop(firstKey, answerMicro);
    await watch();
    await expectRefusal(submit(t, acme), "quota_exceeded");
    await stop(firstKey, 5n * answerMicro);
    await answer();
    await stop(firstKey, answerMicro);
    await watch();
    await expectRefusal(submit(t, acme), "quota_exceeded");
    vi.setSystemTime(Date.UTC(2027, 1, 1, 1));
    await answer();
  });

  it("of a member or a team stop all keys of it", async () => {
    const ofAda = await addKey("Ada's", ada.memberId);
    await t.mutation(api.console.budgets.set, {
      session,
      subject: ada.memberId,
      monthlyMicro: 1n,
      stops: true,
    });
    await answer(ofAda);
    await countStatistics(t, acme);
    await t.mutation(internal.fleet.steps.watchBudgets, { organizationId: acme.organizationId });
    await expectRefusal(answer(ofAda), "quota_exceeded");
    await answer();
  });

  it("have a forecast, as the organization has one", async () => {
    for (let day = 0; day < 3; day += 1) {
      await answer();
      await countStatistics(t, acme);
      vi.setSystemTime(Date.now() + dayMs);
    }
    await set(firstKey, 100n * answerMicro);
    const month = await t.query(api.console.usage.month, { session, now: Date.now() });
    // January 15 to 17, and the mean of them on the 14 days from January 18.
    expect(month).toEqual({ spentMicro: 3n * answerMicro, forecastMicro: 17n * answerMicro, days: 3 });
    const { spentMicro, forecastMicro } = month;
    expect(await list()).toMatchObject([{ spentMicro, forecastMicro }]);
  });
});

describe("the comparison of usage", () => {
  const facts = {
    cloudPrices: [{ modelId, prompt: 0.5, completion: 1.5 }],
    currency: "EUR",
    watts: 40,
    gramsPerKwh: 350,
  };

  it("has no numbers but those that an administrator entered, and each change is in the audit trail", async () => {
    const unknown = { cloudPrices: [], currency: "", watts: null, gramsPerKwh: null };
    expect(await t.query(api.console.usage.facts, { session })).toEqual(unknown);
    await t.mutation(api.console.usage.setFacts, { session, ...facts });
    expect(await t.query(api.console.usage.facts, { session: ada.session })).toEqual(facts);
    const paginationOpts = { numItems: 1, cursor: null };
    const { page } = await t.query(api.console.audit.list, { session, paginationOpts });
    expect(page).toMatchObject([
      {
        action: "usage-facts.changed",
        detail:
          "prices of a cloud: none → demo-1m 0.5 and 1.5 EUR per million tokens; power (W): not set → 40; " +
          "carbon (g CO2 per kWh): not set → 350",
      },
    ]);
  });

  it("has a carbon intensity for each hour of the day", async () => {
    const gramsPerKwh = Array.from({ length: 24 }, (_, hour) => 100 + hour);
    await t.mutation(api.console.usage.setFacts, { session, ...facts, gramsPerKwh });
    expect(await t.query(api.console.usage.facts, { session })).toEqual({ ...facts, gramsPerKwh });
  });

  it("refuses wrong numbers, and those who may not change money", async () => {
    const change = async (over: Partial<FunctionArgs<typeof api.console.usage.setFacts>>, as = session) =>
      await t.mutation(api.console.usage.setFacts, { session: as, ...facts, ...over });
    await expectRefusal(change({ watts: -1 }), "invalid");
    await expectRefusal(change({ gramsPerKwh: Infinity }), "invalid");
    await expectRefusal(change({ gramsPerKwh: Array.from({ length: 23 }, () => 100) }), "invalid");
    await expectRefusal(change({ gramsPerKwh: Array.from({ length: 24 }, () => -1) }), "invalid");
    await expectRefusal(change({ currency: " " }), "invalid");
    await expectRefusal(change({ cloudPrices: [...facts.cloudPrices, ...facts.cloudPrices] }), "invalid");
    await expectRefusal(change({}, ada.session), "forbidden");
  });
});

describe("GET /v1/usage", () => {
  const get = async (token: string, query = ""): Promise<Response> =>
    await t.fetch(`/v1/usage${query}`, { headers: { authorization: `Bearer ${token}` } });

  async function makeToken(): Promise<string> {
    const token = secret("gm_");
    await t.mutation(api.console.statistics.setMetricsToken, { session, tokenHash: await hashSecret(token) });
    await pass(t, 10);
    return token;
  }

  it("gives the holder of the token for metrics each table, as JSON and as CSV", async () => {
    await answer();
    await countStatistics(t, acme);
    const token = await makeToken();
    for (const by of ["day", "model", "key", "team", "member", "device", "group"]) {
      const response = await get(token, `?by=${by}&days=7`);
      expect(response.status).toBe(200);
      const { data, ...rest } = (await response.json()) as { data: object[] };
      expect(rest).toEqual({ object: "list", by, days: 7, currency: "" });
      expect(data).toMatchObject([
        { jobs: 1, prompt_tokens: 10, credits: Number(answerMicro) / 1e6, co2_grams: null },
      ]);
    }
    const csv = await get(token, "?by=model&format=csv");
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(await csv.text()).toMatch(/^model,jobs,.*\r\ndemo-1m,1,1,1,10,3,2,/);
  });

  it("gives an API key its own days and nothing else", async () => {
    await answer();
    const ofAda = await addKey("Ada's", ada.memberId);
    await answer(ofAda);
    await answer(ofAda);
    await countStatistics(t, acme);
    const own = await get(ofAda.apiKey);
    expect(await own.json()).toMatchObject({ by: "day", days: 30, data: [{ day: "2027-01-15", jobs: 2 }] });
    expect((await get(ofAda.apiKey, "?by=key")).status).toBe(400);
  });

  it("refuses unknown secrets and parameters", async () => {
    expect((await get("gm_unknown")).status).toBe(401);
    expect((await get("sk-gleaner-unknown")).status).toBe(401);
    expect((await t.fetch("/v1/usage")).status).toBe(401);
    const wrong = await get(acme.apiKey, "?days=8");
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toMatchObject({
      error: { param: "days", message: "The parameter days must be one of: 7, 30, 90." },
    });
    expect((await get(acme.apiKey, "?format=xml")).status).toBe(400);
  });
});

describe("GET /v1/budgets", () => {
  const get = async (token: string, query = ""): Promise<Response> =>
    await t.fetch(`/v1/budgets${query}`, { headers: { authorization: `Bearer ${token}` } });
  const set = async (subject: Id<"apiKeys"> | Id<"teams">, monthlyMicro: bigint) =>
    await t.mutation(api.console.budgets.set, { session, subject, monthlyMicro });

  it("gives the holder of the token for metrics all budgets, and an API key its own", async () => {
    await set(firstKey, 2n * answerMicro);
    await set(lab, 1_000_000n);
    await answer();
    await countStatistics(t, acme);
    const token = secret("gm_");
    await t.mutation(api.console.statistics.setMetricsToken, { session, tokenHash: await hashSecret(token) });
    const ofKey = {
      of: "key",
      id: firstKey,
      name: "first key",
      budget_credits: Number(2n * answerMicro) / 1e6,
      spent_credits: Number(answerMicro) / 1e6,
      share: 0.5,
      state: "ok",
    };
    const all = (await (await get(token)).json()) as object;
    expect(all).toMatchObject({
      object: "list",
      month: "2027-01",
      data: [ofKey, { of: "team", name: "Lab" }],
    });
    const own = (await (await get(acme.apiKey)).json()) as { readonly data: readonly object[] };
    expect(own.data).toHaveLength(1);
    expect(own.data[0]).toMatchObject(ofKey);
    const csv = await get(token, "?format=csv");
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(await csv.text()).toMatch(
      /^of,id,name,budget_credits,spent_credits,expected_credits,share,state,stops\r\nkey,\S+,first key,/,
    );
  });

  it("refuses unknown secrets and formats", async () => {
    expect((await get("gm_unknown")).status).toBe(401);
    expect((await get("sk-gleaner-unknown")).status).toBe(401);
    expect((await t.fetch("/v1/budgets")).status).toBe(401);
    expect((await get(acme.apiKey, "?format=xml")).status).toBe(400);
  });
});

describe("GET /v1/credits", () => {
  const get = async (token: string): Promise<Response> =>
    await t.fetch("/v1/credits", { headers: { authorization: `Bearer ${token}` } });

  it("tells an API key what it can spend now, and what it gets next", async () => {
    const [before] = await listKeys(t, session);
    const available = (micro: bigint): object => ({
      object: "credits",
      available_credits: Number(micro) / 1e6,
      allowance: null,
    });
    expect(await (await get(acme.apiKey)).json()).toEqual(available(before!.balanceMicro));
    await answer();
    expect(await (await get(acme.apiKey)).json()).toEqual(available(before!.balanceMicro - answerMicro));
    const terms = { every: "month", kind: "top-up", micro: 5_000_000n } as const;
    const target = { session, holder: firstKey, reason: "usual" };
    await t.mutation(api.console.money.allowances.set, { ...target, ...terms });
    expect(await (await get(acme.apiKey)).json()).toMatchObject({
      allowance: { credits: 5, every: "month", kind: "top-up", next_at: Date.UTC(2027, 1) / 1_000 },
    });
  });

  it("refuses unknown secrets, and the token for metrics", async () => {
    expect((await get("gm_unknown")).status).toBe(401);
    expect((await get("sk-gleaner-unknown")).status).toBe(401);
  });
});

describe("the curve of a job", () => {
  it("has the bytes that its device streamed, for those who may see the job", async () => {
    const ofAda = await addKey("Ada's", ada.memberId);
    const jobId = await submit(t, ofAda, { stream: true });
    const attemptId = await claim(t, device, jobId);
    await t.mutation(api.work.append, { key: device.key, attemptId, seq: 0, text: "Hel" });
    const curve = async (as: string) => await t.query(api.console.jobs.curve, { session: as, jobId });
    for (const as of [session, ada.session]) {
      expect(await curve(as)).toMatchObject({ attempt: 1, points: [{ bytes: 3 }] });
    }
    const other = await joinAs(t, session, { name: "Cleo", roles: ["requester"] });
    await expectRefusal(curve(other.session), "not_found");
  });
});
