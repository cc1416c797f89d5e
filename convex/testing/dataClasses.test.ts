import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { equalPrices } from "../../app/jobs/priority.ts";
import type { DataClass } from "../../app/keys/data-classes.ts";
import { api, internal } from "../_generated/api.js";
import {
  addDevice,
  type Backend,
  chat,
  claim,
  complete,
  type Device,
  expectRefusal,
  listKeys,
  type Organization,
  pass,
  payloadOf,
  purgeQueue,
  submitWork,
  tryClaim,
} from "./backend.fixture.ts";
import { collectEnds, lines, runDue, uploadFile } from "./batchFile.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

const hourMs = 3_600_000;

let t: Backend;
let acme: Organization;
let session: string;
let vault: Device;
let office: Device;

const classes: DataClass[] = [
  { name: "internal", groups: [], keptHours: 24, lookers: "managers" },
  { name: "restricted", groups: ["vault"], keptHours: 2, lookers: "requester" },
];

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
  vault = await addDevice(t, acme, "vault");
  office = await addDevice(t, acme, "office");
  await label(vault, ["vault"], []);
  await label(office, ["office"], ["internal"]);
  await set(classes);
});
afterEach(closeWorld);

const label = async ({ deviceId }: Device, groups: string[], dataClasses: string[]) =>
  await t.mutation(api.console.devices.label, { session, deviceId, groups, dataClasses });
const set = async (given: readonly DataClass[], by = session) =>
  await t.mutation(api.console.data.classes.set, {
    session: by,
    classes: given.map((each) => ({ ...each, groups: [...each.groups] })),
  });

async function setRights(rights: { highestDataClass?: string; requirements?: object; mayRequire?: boolean }) {
  const [key] = await listKeys(t, session);
  if (key === undefined) throw new Error("no key");
  await t.mutation(api.console.keys.setRights, { session, keyId: key.keyId, ...rights });
}

const ask = async (dataClass?: string, more: object = {}) =>
  await submitWork(
    t,
    acme.apiKey,
    { kind: "chat", request: chat() },
    dataClass === undefined ? {} : { requires: { dataClass, ...more } },
  );

describe("a class's groups", () => {
  it("are the devices that get its jobs", async () => {
    await setRights({ highestDataClass: "restricted" });
    const jobId = await ask("restricted");
    expect((await tryClaim(t, office, jobId)).kind).not.toBe("claimed");
    expect((await tryClaim(t, vault, jobId)).kind).toBe("claimed");
  });

  it("are those with the class's label if the rules name none", async () => {
    await setRights({ requirements: { dataClass: "internal" } });
    const jobId = await ask();
    expect((await tryClaim(t, vault, jobId)).kind).not.toBe("claimed");
    expect((await tryClaim(t, office, jobId)).kind).toBe("claimed");
  });

  it("refuse a key whose groups have none of them", async () => {
    await setRights({ highestDataClass: "restricted", requirements: { groups: ["office"] } });
    await expectRefusal(ask("restricted"), "requirements_not_allowed");
    await setRights({ requirements: { groups: ["office", "vault"] } });
    const jobId = await ask("restricted");
    expect((await tryClaim(t, office, jobId)).kind).not.toBe("claimed");
  });
});

describe("a key", () => {
  it("lets its requests name classes up to its highest one, and nothing else", async () => {
    await expectRefusal(ask("internal"), "requirements_not_allowed");
    await setRights({ highestDataClass: "internal" });
    await ask("internal");
    await expectRefusal(ask("restricted"), "requirements_not_allowed");
    await expectRefusal(ask("internal", { gpu: true }), "requirements_not_allowed");
    await setRights({ highestDataClass: "" });
    await expectRefusal(ask("internal"), "requirements_not_allowed");
  });

  it("gives its jobs another cache for each class", async () => {
    await setRights({ highestDataClass: "restricted" });
    const owners: unknown[] = [];
    for (const dataClass of [undefined, "restricted"]) {
      const attemptId = await claim(t, vault, await ask(dataClass));
      const payload = (await payloadOf(t, vault.key, attemptId)) as { readonly cacheOwner: string };
      owners.push(payload.cacheOwner);
      await complete(t, vault, attemptId);
    }
    expect(new Set(owners).size).toBe(2);
  });
});

describe("a batch", () => {
  const nightly = { "idempotency-key": "nightly" };
  const post = async (path: string, requires: string, fileId: string, more: object = {}): Promise<Response> =>
    await t.fetch(path, {
      method: "POST",
      headers: { authorization: `Bearer ${acme.apiKey}`, "gleaner-requires": requires, ...more },
      body: JSON.stringify({
        input_file_id: fileId,
        endpoint: "/v1/chat/completions",
        completion_window: "24h",
      }),
    });

  it("names the class of all its requests, as a call does", async () => {
    const fileId = await uploadFile(t, acme.apiKey, lines(2));
    expect((await post("/v1/batches", "data-class=restricted", fileId)).status).toBe(403);
    await setRights({ highestDataClass: "restricted" });
    expect((await post("/v1/batches", "data-class", fileId)).status).toBe(400);
    expect((await post("/v1/batches", "data-class=restricted", fileId, nightly)).status).toBe(200);
    await runDue(t);
    const listed = await t.fetch("/v1/batches", { headers: { authorization: `Bearer ${acme.apiKey}` } });
    expect(await listed.json()).toMatchObject({ data: [{ requirements: "data-class=restricted" }] });
    const orders = await t.run(async (ctx) => await ctx.db.query("orders").collect());
    expect(orders).toMatchObject(Array(2).fill({ dataClass: "restricted", keptHours: 2 }));
    const jobId = orders[0]!.jobId;
    expect((await tryClaim(t, office, jobId)).kind).not.toBe("claimed");
    expect((await tryClaim(t, vault, jobId)).kind).toBe("claimed");
    expect((await post("/v1/batches", "data-class=restricted", fileId, nightly)).status).toBe(200);
    expect((await post("/v1/batches", "data-class=internal", fileId, nightly)).status).toBe(409);
  });

  it("is found again only by a key that may require the same, in any order", async () => {
    await setRights({ mayRequire: true });
    const fileId = await uploadFile(t, acme.apiKey, lines(1));
    const again = async (group: string) =>
      await Promise.all(
        [nightly, { "x-stainless-retry-count": "1" }].map(
          async (headers) => await post("/v1/batches", group, fileId, headers),
        ),
      );
    const idsOf = async (responses: readonly Response[]): Promise<string[]> =>
      await Promise.all(responses.map(async (each) => ((await each.json()) as { readonly id: string }).id));
    const ids = await idsOf(await again("group=vault&group=office"));
    expect(await idsOf(await again("group=office&group=vault"))).toEqual(ids);
    await setRights({ mayRequire: false });
    expect((await again("group=vault&group=office")).map(({ status }) => status)).toEqual([403, 403]);
  });

  it("waits while the queue has no room for jobs with other requirements", async () => {
    await setRights({ highestDataClass: "restricted" });
    const setMost = async (maxLanes: number | null) =>
      await t.mutation(internal.setup.setQueueSettings, { organizationId: null, values: { maxLanes } });
    await setMost(16);
    const fileId = await uploadFile(t, acme.apiKey, lines(2));
    expect((await post("/v1/batches", "data-class=restricted", fileId)).status).toBe(200);
    await runDue(t);
    const orders = async () => await t.run(async (ctx) => await ctx.db.query("orders").collect());
    const batch = async () => (await t.run(async (ctx) => await ctx.db.query("batches").first()))!;
    expect(await orders()).toEqual([]);
    expect(await batch()).toMatchObject({
      status: "in_progress",
      cutWaitsFor: "queue",
      cut: { requests: 0 },
    });
    await setMost(null);
    await t.action(internal.batchSteps.cut, { batchId: (await batch())._id });
    await runDue(t);
    expect(await orders()).toHaveLength(2);
  });

  it("has its files deleted as long after its end as its class says", async () => {
    await setRights({ highestDataClass: "restricted" });
    const fileIds = [await uploadFile(t, acme.apiKey, lines(1)), await uploadFile(t, acme.apiKey, lines(1))];
    expect((await post("/v1/batches", "data-class=restricted", fileIds[0]!)).status).toBe(200);
    await runDue(t);
    const [order] = await t.run(async (ctx) => await ctx.db.query("orders").collect());
    await complete(t, vault, await claim(t, vault, order!.jobId));
    await collectEnds(t);
    const left = async () => (await t.run(async (ctx) => await ctx.db.query("files").collect())).length;
    const batches = await t.run(async (ctx) => await ctx.db.query("batches").collect());
    expect(batches).toMatchObject([{ status: "completed", keptHours: 2 }]);
    expect(await left()).toBe(3);
    vi.setSystemTime(Date.now() + 1.9 * hourMs);
    await t.mutation(internal.files.sweep, {});
    expect(await left()).toBe(3);
    vi.setSystemTime(Date.now() + 0.2 * hourMs);
    await t.mutation(internal.files.sweep, {});
    // That of no batch.
    expect(await left()).toBe(1);
  });

  it("has its file of requests deleted also if a batch without a class reads it longer", async () => {
    await setRights({ highestDataClass: "restricted" });
    const fileId = await uploadFile(t, acme.apiKey, lines(1));
    expect((await post("/v1/batches", "", fileId)).status).toBe(200);
    expect((await post("/v1/batches", "data-class=restricted", fileId)).status).toBe(200);
    await runDue(t);
    const orders = await t.run(async (ctx) => await ctx.db.query("orders").collect());
    for (const ended of ["restricted", undefined]) {
      const order = orders.find(({ dataClass }) => dataClass === ended);
      await complete(t, vault, await claim(t, vault, order!.jobId));
      await collectEnds(t);
    }
    const batches = await t.run(async (ctx) => await ctx.db.query("batches").collect());
    expect(batches.map(({ status }) => status)).toEqual(["completed", "completed"]);
    vi.setSystemTime(Date.now() + 2.1 * hourMs);
    await t.mutation(internal.files.sweep, {});
    const left = await t.run(async (ctx) => await ctx.db.query("files").collect());
    expect(left.map(({ _id }) => _id)).toEqual([batches[0]?.outputFileId]);
  });

  it("keeps its files for a day if its class has no rules", async () => {
    await setRights({ mayRequire: true });
    await label(vault, ["vault"], ["secret"]);
    const fileId = await uploadFile(t, acme.apiKey, lines(1));
    expect((await post("/v1/batches", "data-class=secret", fileId)).status).toBe(200);
    // Its rules have groups that contradict those of the key, so each line is refused.
    await setRights({ requirements: { dataClass: "restricted", groups: ["office"] } });
    expect((await post("/v1/batches", "", fileId)).status).toBe(200);
    await set([]);
    expect((await post("/v1/batches", "", fileId)).status).toBe(200);
    const batches = await t.run(async (ctx) => await ctx.db.query("batches").collect());
    expect(batches.map(({ keptHours }) => keptHours)).toEqual([24, 2, 24]);
  });

  it("is estimated at the price of its class", async () => {
    await setRights({ highestDataClass: "restricted" });
    const factors = {
      ...equalPrices,
      text: 100,
      embedding: 100,
      classes: [{ name: "restricted", percent: 300 }],
      hours: null,
    };
    await t.mutation(api.console.money.prices.ofAll, { session, factors, from: null, why: null });
    const fileId = await uploadFile(t, acme.apiKey, lines(2));
    const most = async (requires: string): Promise<bigint> => {
      const body = (await (await post("/v1/batches/estimate", requires, fileId)).json()) as {
        most_price_micro: string;
      };
      return BigInt(body.most_price_micro);
    };
    expect(await most("data-class=restricted")).toBe(3n * (await most("")));
    expect((await post("/v1/batches/estimate", "data-class=secret", fileId)).status).toBe(403);
  });
});

describe("prompts and answers of a class", () => {
  it("are kept as long as its rules say", async () => {
    await setRights({ highestDataClass: "restricted" });
    const jobIds = [await ask("restricted"), await ask()];
    for (const jobId of jobIds) await complete(t, vault, await claim(t, vault, jobId));
    const results = async () =>
      await Promise.all(
        jobIds.map(
          async (jobId) =>
            (await t.query(api.requests.watch, { apiKey: acme.apiKey, jobId })).result !== null,
        ),
      );
    await pass(t, 1.9 * hourMs);
    await purgeQueue(t);
    expect(await results()).toEqual([true, true]);
    await pass(t, 0.2 * hourMs);
    await purgeQueue(t);
    expect(await results()).toEqual([false, true]);
  });

  it("are shown to those whom its rules name, also after a change of the rules", async () => {
    await setRights({ highestDataClass: "restricted" });
    const [internal, restricted] = [await ask("internal"), await ask("restricted")];
    const admin = (await joinAs(t, session, { name: "Ada", roles: ["admin"] })).session;
    const look = async (by: string, jobId: string) =>
      await t.mutation(api.console.payloads.look, { session: by, jobId });
    await t.mutation(api.console.payloads.setAccess, { session, ownersMayLook: true });
    expect((await look(admin, internal)).request).not.toBeNull();
    await expectRefusal(look(session, restricted), "forbidden");
    await set(classes.map((each) => ({ ...each, lookers: "owners" as const })));
    await expectRefusal(look(admin, internal), "forbidden");
    expect((await look(session, restricted)).request).not.toBeNull();
    // Jobs without a class follow the switch for owners.
    expect((await look(session, await ask())).request).not.toBeNull();
  });
});

describe("the rules", () => {
  it("are changed by owners, with a record, and can be put back", async () => {
    const admin = (await joinAs(t, session, { name: "Ada", roles: ["admin"] })).session;
    await expectRefusal(set([], admin), "forbidden");
    expect(await t.query(api.console.data.classes.list, { session: admin })).toEqual(classes);
    const before = await set([]);
    expect(before).toEqual(classes);
    await set(before);
    expect(await t.query(api.console.data.classes.list, { session })).toEqual(classes);
    const { page } = await t.query(api.console.audit.list, {
      session,
      paginationOpts: { numItems: 5, cursor: null },
    });
    expect(page[0]).toMatchObject({ action: "data-classes.changed" });
    expect(page[0]?.detail).toContain("restricted: groups vault, kept 2 h, only requesters look");
  });

  it.each([
    [[{ ...classes[0]!, name: "" }]],
    [[classes[0]!, classes[0]!]],
    [[{ ...classes[0]!, keptHours: 0 }]],
    [[{ ...classes[0]!, keptHours: 721 }]],
    [[{ ...classes[0]!, groups: Array.from({ length: 9 }, (_, at) => String(at)) }]],
    [Array.from({ length: 17 }, (_, at) => ({ ...classes[0]!, name: String(at) }))],
  ])("are bounded", async (given) => {
    await expectRefusal(set(given), "invalid");
  });
});
