import { readdirSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DeviceNeeds } from "../../app/keys/requirements.ts";
import { api, internal } from "../_generated/api.js";
import {
  addDevice,
  addOrganization,
  allJobs,
  chat,
  claim,
  complete,
  type Device,
  expectRefusal,
  fail,
  greeting,
  jobOf,
  listKeys,
  modelId,
  submit,
  submitWork,
  take,
  tryClaim,
} from "./backend.fixture.ts";
import { listDevices } from "./listDevices.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let { t, acme, session }: Awaited<ReturnType<typeof openWorld>> = {} as Awaited<ReturnType<typeof openWorld>>;
let device: Device;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
  device = await addDevice(t, acme);
});
afterEach(closeWorld);

const keyIdOf = async () => (await t.query(internal.requests.identify, { apiKey: acme.apiKey })).keyId;

type Needs = {
  groups?: string[];
  tags?: string[];
  gpu?: boolean;
  memoryGb?: number;
  vramGb?: number;
  dataClass?: string;
};

async function setRights(requirements: Needs, mayRequire = false): Promise<void> {
  await t.mutation(api.console.keys.setRights, { session, keyId: await keyIdOf(), requirements, mayRequire });
}

async function label(
  { deviceId }: Device,
  labels: { groups?: string[]; tags?: string[]; dataClasses?: string[] },
): Promise<void> {
  const all = { groups: [], tags: [], dataClasses: [], ...labels };
  await t.mutation(api.console.devices.label, { session, deviceId, ...all });
}

const ask = async (requires: Needs, options: { readonly idempotencyKey?: string } = {}) =>
  await submitWork(t, acme.apiKey, { kind: "chat", request: chat() }, { requires, ...options });

const post = async (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  await t.fetch(`/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${acme.apiKey}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: modelId, ...body }),
  });

const everything: Needs = { groups: ["lab"], tags: ["owned"], memoryGb: 8, dataClass: "medical" };
const inQueue = { groups: ["lab"], labels: ["owned"], memoryMb: 7_629, dataClass: "medical" };
const labels = { groups: ["lab"], tags: ["owned"], dataClasses: ["medical"] };

describe("the requirements of a key", () => {
  it("are shown, audited and bounded", async () => {
    await setRights({ ...everything, gpu: true }, true);
    expect(await listKeys(t, session)).toMatchObject([
      {
        requirements: { ...everything, gpu: true },
        dataClass: "medical",
        mayRequire: true,
        highestPriority: "high",
      },
    ]);
    const { page } = await t.query(api.console.audit.list, {
      session,
      paginationOpts: { numItems: 1, cursor: null },
    });
    expect(page[0]?.detail).toBe(
      "devices: any → group lab, tag owned, GPU, 8 GB, data class medical; requests may require more: no → yes",
    );
    await setRights({});
    expect(await listKeys(t, session)).toMatchObject([{ requirements: {}, dataClass: null }]);
    await expectRefusal(setRights({ tags: Array.from({ length: 9 }, String) }), "invalid");
    await expectRefusal(setRights({ memoryGb: 0.5 }), "invalid");
    await expectRefusal(setRights({ tags: [""] }), "invalid");
  });

  it("count for jobs of every kind, also over HTTP", async () => {
    await label(device, labels);
    await setRights(everything);
    const works = [
      { kind: "chat" as const, request: chat() },
      { kind: "completion" as const, request: { ...chat(), messages: undefined, prompt: "Hi" } },
      { kind: "embedding" as const, request: { inputs: ["Hi"] } },
    ];
    for (const work of works) {
      if (work.kind === "completion") delete (work.request as { messages?: unknown }).messages;
      const jobId = await submitWork(t, acme.apiKey, work);
      expect((await jobOf(t, acme, jobId)).requirements).toMatchObject(inQueue);
    }
  });

  it("count for a repeated request, and for a dead letter that is retried", async () => {
    await label(device, labels);
    await setRights(everything);
    const jobId = await submit(t, acme, { idempotencyKey: "one" });
    expect(await submit(t, acme, { idempotencyKey: "one" })).toBe(jobId);
    await fail(t, device, await claim(t, device, jobId), { retryable: false });
    expect(await t.mutation(api.console.jobs.retryDeadLetter, { session, jobId })).toEqual({ kind: "ready" });
    expect((await jobOf(t, acme, jobId)).requirements).toMatchObject(inQueue);
    expect(await allJobs(t, acme)).toHaveLength(1);
  });

  it("cannot be avoided by a device that submits jobs", async () => {
    await submit(t, acme);
    const [job] = await take(t, device);
    const call = { key: device.key, attemptId: job?.attemptId ?? "", first: 0 };
    const jobs = [{ kind: "chat", payload: {} }];
    expect(await t.mutation(api.work.submit, { ...call, jobs })).toMatchObject({ kind: "not-allowed" });
  });

  it("count for all jobs, because one place makes them", () => {
    const root = new URL("../", import.meta.url);
    const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
      (name) => name.endsWith(".ts") && !/testing|_generated|\.test\.ts$/.test(name),
    );
    const makers = files.filter((name) =>
      /queue\s*\.(submit|submitMany|recurring)\b|component\.jobs\.submit/.test(
        readFileSync(new URL(name, root), "utf8"),
      ),
    );
    // A replay has the requirements of the job whose answer it reads, and a correction those of the job that it does again.
    const again = ["model/requests/correction.ts", "model/trust/replays.ts"];
    // A canary is of no requester, so it has no requirements but its model.
    const submitted = [
      "model/batches/submitRequests.ts",
      "model/requests/submit.ts",
      "model/trust/canaries/ask.ts",
    ];
    expect(makers.toSorted()).toEqual([...again, ...submitted].toSorted());
    for (const name of again)
      expect(readFileSync(new URL(name, root), "utf8")).toMatch(/requirements:\s[^,]*view\.requirements/);
    const submitting = readFileSync(new URL("model/requests/submit.ts", root), "utf8");
    expect(submitting).toMatch(/requirementsOf\(needs\)/);
  });

  it("are met by what an admin says about a device, never by what it says itself", async () => {
    const liar = await addDevice(t, acme, "liar");
    const { capabilities, ...hello } = greeting();
    const boast = { ...capabilities, tags: ["owned", "lab", "medical"] };
    await t.mutation(api.work.hello, { key: liar.key, ...hello, capabilities: boast });
    await label(device, labels);
    await setRights(everything);
    const jobId = await submit(t, acme);
    expect(await take(t, liar, 4)).toEqual([]);
    expect(await tryClaim(t, liar, jobId)).toEqual({ kind: "unable" });
    await complete(t, device, await claim(t, device, jobId));
  });

  it("follow at once when an admin changes a device", async () => {
    await label(device, labels);
    await setRights(everything);
    const jobId = await submit(t, acme);
    await label(device, { ...labels, tags: [] });
    expect(await take(t, device)).toEqual([]);
    expect(await tryClaim(t, device, jobId)).toEqual({ kind: "unable" });
    await label(device, labels);
    expect(await take(t, device)).toMatchObject([{ jobId }]);
    expect(await listDevices(t, session)).toMatchObject([{ tags: ["owned"] }]);
  });
});

describe("free memory of a GPU", () => {
  const hello = async (
    { key }: Device,
    capabilities: { models?: string[]; vramMb?: number; gpu?: boolean },
  ) => {
    const offered = { kinds: ["chat"], models: [modelId], memoryMb: 16_000, ...capabilities };
    await t.mutation(api.work.hello, { key, version: "0.1.0", capabilities: offered, startup: false });
  };

  it("brings a job that requires it to the device that has it", async () => {
    const withGpu = await addDevice(t, acme, "with GPU");
    await hello(device, {});
    await hello(withGpu, { vramMb: 7_680, gpu: true });
    await setRights({ vramGb: 4 }, true);
    const jobId = await ask({ vramGb: 8 });
    expect((await jobOf(t, acme, jobId)).requirements).toEqual({ model: modelId, vramMb: 7_629 });
    expect(await take(t, device)).toEqual([]);
    expect(await tryClaim(t, device, jobId)).toEqual({ kind: "unable" });
    expect(await take(t, withGpu)).toMatchObject([{ jobId }]);
  });

  it("makes a job wait while other programs have it, and refuses it without any GPU", async () => {
    await hello(device, { vramMb: 1_024, gpu: true });
    await setRights({ vramGb: 8 });
    const jobId = await submit(t, acme);
    expect(await take(t, device)).toEqual([]);
    await hello(device, { vramMb: 7_680, gpu: true });
    expect(await take(t, device)).toMatchObject([{ jobId }]);
    await hello(device, { gpu: false });
    await expectRefusal(submit(t, acme), "requirements_unmet");
  });

  it("does not count where the organization forbids the GPU", async () => {
    await hello(device, { vramMb: 7_680, gpu: true });
    await t.mutation(api.console.devices.limit, {
      session,
      deviceId: device.deviceId,
      limits: { gpu: false },
    });
    expect(await listDevices(t, session)).toMatchObject([{ capabilities: { vramMb: 0 } }]);
    await setRights({ vramGb: 1 });
    await expectRefusal(submit(t, acme), "requirements_unmet");
  });
});

describe("a requirement that no device could meet", () => {
  it.each<[Needs, string]>([
    [{ tags: ["owned"] }, "has the tag owned"],
    [{ groups: ["lab"] }, "is in the group lab"],
    [{ dataClass: "medical" }, "may get the data class medical"],
    [{ memoryGb: 64 }, "has 64 GB of memory"],
  ])("%o is refused, and named", async (needs, why) => {
    await setRights(needs);
    await expectRefusal(submit(t, acme), "requirements_unmet");
    await expect(submit(t, acme)).rejects.toThrow(why);
    expect(await allJobs(t, acme)).toEqual([]);
  });

  it("waits if a device could meet it that is offline", async () => {
    await label(device, labels);
    await setRights(everything);
    await t.mutation(api.work.goodbye, { key: device.key });
    expect((await jobOf(t, acme, await submit(t, acme))).status).toBe("ready");
  });
});

describe("the requirements of a request", () => {
  it("are refused if its key may add none", async () => {
    await label(device, labels);
    await expectRefusal(ask({ tags: ["owned"] }), "requirements_not_allowed");
    expect((await jobOf(t, acme, await ask({}))).requirements).toEqual({ model: modelId });
  });

  it("are added to those of its key", async () => {
    await label(device, { ...labels, tags: ["owned", "eu"] });
    await setRights({ tags: ["owned"], memoryGb: 8 }, true);
    const jobId = await ask({ tags: ["eu"], memoryGb: 1, dataClass: "medical" });
    expect((await jobOf(t, acme, jobId)).requirements).toMatchObject({
      labels: ["eu", "owned"],
      memoryMb: 7_629,
      dataClass: "medical",
    });
  });

  it("are told to its requester together with those of its key", async () => {
    const headers = { authorization: `Bearer ${acme.apiKey}` };
    const told = async (jobId: string) =>
      (await (await t.fetch(`/v1/jobs/${jobId}`, { headers })).json()) as object;
    expect(await told(await submit(t, acme))).toMatchObject({ requirements: null });
    await label(device, { ...labels, tags: ["owned", "eu"] });
    await setRights({ groups: ["lab"], tags: ["owned"], memoryGb: 8 }, true);
    expect(await told(await ask({ tags: ["eu"], vramGb: 6, dataClass: "medical" }))).toMatchObject({
      requirements: "group=lab&tag=eu&tag=owned&memory=8&vram=6&data-class=medical",
    });
  });

  it.each<DeviceNeeds & Needs>([{ groups: ["home"] }, { dataClass: "public" }])(
    "cannot loosen its key's: %o",
    async (needs) => {
      await label(device, { ...labels, groups: ["lab", "home"], dataClasses: ["medical", "public"] });
      await setRights({ groups: ["lab"], dataClass: "medical" }, true);
      await expectRefusal(ask(needs), "requirements_not_allowed");
    },
  );

  it("make it another request than one without them", async () => {
    await label(device, labels);
    await setRights({}, true);
    await ask({}, { idempotencyKey: "one" });
    await expectRefusal(ask({ tags: ["owned"] }, { idempotencyKey: "one" }), "conflict");
  });

  it("belong to the organization: those of another one meet nothing", async () => {
    await label(device, labels);
    const other = await addOrganization(t, { name: "Other" });
    const { keyId } = await t.query(internal.requests.identify, { apiKey: other.apiKey });
    await t.run(async (ctx) => await ctx.db.patch("apiKeys", keyId, { requirements: { tags: ["owned"] } }));
    await expectRefusal(submit(t, other), "requirements_unmet");
  });

  it("come in a header, and errors name it", async () => {
    const paths = [
      ["chat/completions", { messages: [{ role: "user", content: "Hi" }] }],
      ["completions", { prompt: "Hi" }],
      ["embeddings", { input: "Hi" }],
    ] as const;
    for (const [path, body] of paths) {
      const wrong = await post(path, body, { "gleaner-requires": "speed=9" });
      expect(wrong.status).toBe(400);
      expect(await wrong.json()).toMatchObject({
        error: { param: "Gleaner-Requires", code: "invalid_value" },
      });
      const forbidden = await post(path, body, { "gleaner-requires": "tag=owned" });
      expect(forbidden.status).toBe(403);
      expect(await forbidden.json()).toMatchObject({ error: { code: "requirements_not_allowed" } });
    }
    await setRights({}, true);
    for (const [path, body] of paths) {
      const unmet = await post(path, body, { "gleaner-requires": "tag=owned&memory=8" });
      expect(unmet.status).toBe(400);
      expect(await unmet.json()).toMatchObject({
        error: { code: "requirements_unmet", param: "Gleaner-Requires" },
      });
    }
  });
});
