import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { BatchStatus } from "../../app/batches/limits.ts";
import { storedId } from "../../app/batches/openai-objects.ts";
import { api, internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { hashSecret } from "../model/authenticate.ts";
import { queue } from "../model/queue.ts";
import {
  addDevice,
  addOrganization,
  answerMicro,
  type Backend,
  claim,
  type Device,
  expectRefusal,
  type Organization,
  pass,
  secret,
  signIn,
  take,
} from "./backend.fixture.ts";
import { ask, collectEnds, line, lines, runDue, uploadFile } from "./batchFile.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { takeJob } from "./simDevice.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
});

afterEach(closeWorld);

const { batches } = api.console.work;
const paginationOpts = { numItems: 10, cursor: null };

/** A batch that a requester made over HTTP. */
async function start(
  content: string,
  apiKey = acme.apiKey,
  more: Readonly<Record<string, string>> = {},
): Promise<Id<"batches">> {
  const input_file_id = await uploadFile(t, apiKey, content);
  const body = { input_file_id, endpoint: "/v1/chat/completions", completion_window: "24h" };
  const response = await t.fetch("/v1/batches", {
    method: "POST",
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${apiKey}`, ...more },
  });
  expect(response.status).toBe(200);
  const { id } = (await response.json()) as { id: string };
  await pass(t, 1);
  await runDue(t);
  return storedId("batch", id) as Id<"batches">;
}

/** A key of the organization. */
async function addKey(name: string): Promise<{ apiKey: string; keyId: Id<"apiKeys"> }> {
  const apiKey = secret("sk-gleaner-");
  const keyHash = await hashSecret(apiKey);
  await t.mutation(api.console.keys.create, { session, name, keyHash, prefix: "sk-gleaner-" });
  const { keyId } = await t.query(internal.requests.identify, { apiKey });
  return { apiKey, keyId };
}

async function answerOne(device: Device): Promise<void> {
  await takeJob(t, device, async ({ complete }) => await complete("Done."));
  await collectEnds(t);
}

const get = async (batchId: string, by = session) => await t.query(batches.get, { session: by, batchId });

async function list(filter: { status?: BatchStatus | "open"; keyId?: string } = {}, by = session) {
  const { page } = await t.query(batches.list, { session: by, paginationOpts, ...filter });
  return page;
}

const idsOf = (rows: readonly { readonly batchId: string }[]) => rows.map(({ batchId }) => batchId);

describe("a batch in the console", () => {
  it("has the name of its key and its file, its progress, its price and its files", async () => {
    const device = await addDevice(t, acme);
    const batchId = await start(lines(3));
    await answerOne(device);
    const row = {
      batchId,
      fileName: "prompts.jsonl",
      keyName: "first key",
      endpoint: "/v1/chat/completions",
      window: "24h",
      status: "in_progress",
      total: 3,
      completed: 1,
      failed: 0,
      usage: { promptTokens: 10, completionTokens: 3 },
      priceMicro: answerMicro,
      mistakes: [],
    };
    expect(await list()).toMatchObject([row]);
    const detail = await get(batchId);
    expect(detail).toMatchObject({ ...row, error: null, hasJobs: true });
    const content = await t.fetch(`/v1/files/${detail.output!.fileId}/content`, {
      headers: { authorization: `Bearer ${acme.apiKey}` },
    });
    expect(new TextEncoder().encode(await content.text())).toHaveLength(detail.output!.bytes);
    expect(JSON.stringify(detail, (_, value: unknown) => String(value))).not.toContain("Answer q0");
  });

  it("that did not start names its mistakes by their lines", async () => {
    const batchId = await start([line("a"), "no json", line("a")].join("\n"));
    expect(await get(batchId)).toMatchObject({
      status: "failed",
      mistakes: [
        { line: 2, code: "invalid_json_line" },
        { line: 3, code: "duplicate_custom_id", param: "custom_id" },
      ],
      hasJobs: false,
    });
    const jobs = await t.query(api.console.jobs.list, { session, paginationOpts, batchId });
    expect(jobs.page).toEqual([]);
  });

  it("whose requests were all refused has no jobs to show", async () => {
    const batchId = await start(line("a", { ...ask("x"), model: "gpt-unknown" }));
    await collectEnds(t);
    expect(await get(batchId)).toMatchObject({ status: "completed", failed: 1, hasJobs: false });
  });

  it("says that it waits for a device, or because somebody paused its lane, and says nothing while a device works", async () => {
    const batchId = await start(lines(2));
    expect((await get(batchId)).wait).toEqual({ kind: "no-worker" });
    const { lanes } = await t.query(api.console.queue.stats, { session });
    const { laneId } = lanes[0]!;
    await t.mutation(api.console.queue.setLaneState, { session, laneId, state: "paused" });
    expect((await get(batchId)).wait).toMatchObject({ kind: "paused", by: "Owner" });
    expect((await list())[0]!.wait).toMatchObject({ kind: "paused", by: "Owner" });
    await t.mutation(api.console.queue.setLaneState, { session, laneId, state: "open" });
    const device = await addDevice(t, acme);
    const { page } = await t.query(api.console.jobs.list, { session, paginationOpts, batchId });
    await claim(t, device, page[0]!.jobId);
    expect((await get(batchId)).wait).toBeNull();
  });

  it("says what its devices must have, and that none of those that donate has it, also to its requester", async () => {
    const { keyId } = await t.query(internal.requests.identify, { apiKey: acme.apiKey });
    const rights = { requirements: { groups: ["lab"] }, mayRequire: true };
    await t.mutation(api.console.keys.setRights, { session, keyId, ...rights });
    const asleep = await addDevice(t, acme);
    const label = { session, deviceId: asleep.deviceId, groups: ["lab"], tags: ["eu"], dataClasses: [] };
    await t.mutation(api.console.devices.label, label);
    const batchId = await start(lines(1), acme.apiKey, { "gleaner-requires": "tag=eu" });
    const told = async (path = `/batch_${batchId}`) =>
      (await (
        await t.fetch(`/v1/batches${path}`, { headers: { authorization: `Bearer ${acme.apiKey}` } })
      ).json()) as object;
    await t.mutation(api.work.goodbye, { key: asleep.key });
    expect(await told()).toMatchObject({ requirements: "tag=eu", waits_for: "no_worker" });
    await take(t, await addDevice(t, acme));
    expect(await told()).toMatchObject({ requirements: "tag=eu", waits_for: "no_match" });
    expect(await told("")).toMatchObject({ data: [{ waits_for: "no_match" }] });
    expect(await get(batchId)).toMatchObject({
      wait: { kind: "no-match" },
      requirements: { groups: ["lab"], labels: ["eu"] },
    });
  });

  it("looks at the devices once, however many batches wait", async () => {
    await take(t, await addDevice(t, acme, "laptop", []));
    for (const custom of ["a", "b", "c"]) await start(line(custom));
    const asked = vi.spyOn(queue, "waitReasons");
    onTestFinished(() => asked.mockRestore());
    expect((await list()).map(({ wait }) => wait)).toEqual(Array(3).fill({ kind: "no-model" }));
    expect(asked).toHaveBeenCalledOnce();
    const headers = { authorization: `Bearer ${acme.apiKey}` };
    const told = (await (await t.fetch("/v1/batches", { headers })).json()) as { data: object[] };
    expect(told.data).toMatchObject(Array(3).fill({ waits_for: "no_model" }));
    expect(asked).toHaveBeenCalledTimes(2);
  });

  it("says that it waits for credits if none of its requests could become a job", async () => {
    await start(line("a"));
    const reserved = await t.run(async (ctx) => (await ctx.db.query("orders").first())!.reservedMicro);
    const poor = await addOrganization(t, { name: "Poor", creditsMicro: reserved + 50n });
    await t.mutation(internal.maintenance.project, {});
    session = await signIn(t, poor);
    await start(line("a"), poor.apiKey);
    const later = await start(line("b"), poor.apiKey);
    expect((await get(later)).wait).toEqual({ kind: "credits" });
    const headers = { authorization: `Bearer ${poor.apiKey}` };
    const told = await t.fetch(`/v1/batches/batch_${later}`, { headers });
    expect(await told.json()).toMatchObject({ waits_for: "credits" });
    expect(await get(later)).toMatchObject({ status: "in_progress", hasJobs: false });
  });

  it("leads to its jobs, and each of them leads back to its line", async () => {
    const batchId = await start(`${line("first")}\n${line("second")}`);
    await start(line("of another batch"));
    const { page } = await t.query(api.console.jobs.list, { session, paginationOpts, batchId });
    const jobs = await Promise.all(
      page.map(async ({ jobId }) => (await t.query(api.console.jobs.get, { session, jobId })).batch),
    );
    expect(jobs.toSorted((a, b) => a!.line - b!.line)).toEqual([
      { batchId, line: 1, customId: "first" },
      { batchId, line: 2, customId: "second" },
    ]);
    const canceled = { session, paginationOpts, batchId, status: "canceled" } as const;
    expect((await t.query(api.console.jobs.list, canceled)).page).toEqual([]);
  });

  it("is canceled for good: its answers stay, and the trail names it once", async () => {
    const device = await addDevice(t, acme);
    const batchId = await start(lines(3));
    await answerOne(device);
    await t.mutation(batches.cancel, { session, batchId });
    await t.mutation(batches.cancel, { session, batchId });
    await runDue(t);
    await collectEnds(t);
    expect(await get(batchId)).toMatchObject({
      status: "cancelled",
      completed: 1,
      failed: 2,
      priceMicro: answerMicro,
      wait: null,
    });
    const { page } = await t.query(api.console.audit.list, {
      session,
      paginationOpts,
      action: "batch.canceled",
    });
    expect(page).toMatchObject([{ by: "Owner", subject: batchId, name: "prompts.jsonl · first key" }]);
    const done = await start("no json");
    await expectRefusal(t.mutation(batches.cancel, { session, batchId: done }), "invalid");
  });

  it("that its requester cancels is in the trail, in the name of the API key", async () => {
    const batchId = await start(lines(1));
    const headers = { authorization: `Bearer ${acme.apiKey}` };
    for (let times = 0; times < 2; times += 1)
      await t.fetch(`/v1/batches/batch_${batchId}/cancel`, { method: "POST", headers });
    const { page } = await t.query(api.console.audit.list, { session, paginationOpts, subject: batchId });
    expect(page).toMatchObject([{ actor: "api-key", by: "first key", action: "batch.canceled" }]);
  });

  it("shows no money and no key to those who may not see them", async () => {
    const batchId = await start(lines(1));
    const operator = await joinAs(t, session, { name: "Op", roles: ["operator"] });
    expect(await get(batchId, operator.session)).toMatchObject({
      keyId: null,
      keyName: "first key",
      priceMicro: null,
    });
  });
});

describe("the list of batches", () => {
  it("has pages, newest first", async () => {
    const made: string[] = [];
    for (let n = 0; n < 3; n += 1) made.unshift(await start(lines(1)));
    const first = await t.query(batches.list, { session, paginationOpts: { numItems: 2, cursor: null } });
    expect(idsOf(first.page)).toEqual(made.slice(0, 2));
    const next = { numItems: 2, cursor: first.continueCursor };
    const second = await t.query(batches.list, { session, paginationOpts: next });
    expect(idsOf(second.page)).toEqual(made.slice(2));
    expect(second.isDone).toBe(true);
  });

  it("has those of one status, those that have not ended, and those of a key", async () => {
    const failed = await start("no json");
    const running = await start(lines(1));
    const { apiKey, keyId } = await addKey("Nightly");
    const ofKey = await start("no json", apiKey);
    expect(idsOf(await list())).toEqual([ofKey, running, failed]);
    expect(idsOf(await list({ status: "open" }))).toEqual([running]);
    expect(idsOf(await list({ status: "failed" }))).toEqual([ofKey, failed]);
    expect(idsOf(await list({ status: "completed" }))).toEqual([]);
    expect(idsOf(await list({ keyId }))).toEqual([ofKey]);
    expect(idsOf(await list({ keyId, status: "open" }))).toEqual([]);
    await expectRefusal(list({ keyId: "no id" }), "not_found");
  });

  it("refuses a cursor that no page returned, as the lists of keys and of own jobs do", async () => {
    const { keyId, apiKey } = await addKey("Ada");
    const ada = await joinAs(t, session, { name: "Ada", roles: ["requester"] });
    await t.mutation(api.console.keys.setOwner, { session, keyId, owner: ada.memberId });
    await start(lines(1), apiKey);
    for (const cursors of [
      { cursor: "gd_none" },
      { cursor: "-1" },
      { cursor: null, endCursor: "-1" },
      { cursor: null, endCursor: "" },
    ]) {
      const wrong = { session: ada.session, paginationOpts: { numItems: 10, ...cursors } };
      await expectRefusal(t.query(batches.list, wrong), "invalid");
      await expectRefusal(t.query(api.console.keys.list, wrong), "invalid");
      await expectRefusal(t.query(api.console.jobs.list, wrong), "invalid");
    }
  });

  it("has only the own ones for a requester, who neither sees nor cancels others", async () => {
    const others = await start(lines(1));
    const ada = await joinAs(t, session, { name: "Ada", roles: ["requester"] });
    const bo = await joinAs(t, session, { name: "Bo", roles: ["requester"] });
    expect(await list({}, ada.session)).toEqual([]);
    const { apiKey, keyId } = await addKey("Ada's");
    await t.mutation(api.console.keys.setOwner, { session, keyId, owner: ada.memberId });
    const own = await start(lines(1), apiKey);
    await start("no json", apiKey);
    expect(idsOf(await list({ status: "open" }, ada.session))).toEqual([own]);
    expect(await list({}, ada.session)).toHaveLength(2);
    expect(await list({}, bo.session)).toEqual([]);
    const { session: by } = ada;
    const jobs = await t.query(api.console.jobs.list, { session: by, paginationOpts, batchId: own });
    expect(jobs.page).toHaveLength(1);
    for (const call of [
      get(others, by),
      t.mutation(batches.cancel, { session: by, batchId: others }),
      t.query(api.console.jobs.list, { session: by, paginationOpts, batchId: others }),
    ])
      await expectRefusal(call, "not_found");
    await t.mutation(batches.cancel, { session: by, batchId: own });
    expect((await get(own, by)).status).toBe("cancelling");
    expect((await get(others)).status).toBe("in_progress");
  });

  it("has none of another organization, and no call finds them", async () => {
    const batchId = await start(lines(1));
    const rival = await signIn(t, await addOrganization(t, { name: "Rival" }));
    expect(await list({}, rival)).toEqual([]);
    await expectRefusal(get(batchId, rival), "not_found");
    await expectRefusal(get("no id", rival), "not_found");
    await expectRefusal(t.mutation(batches.cancel, { session: rival, batchId }), "not_found");
  });
});
