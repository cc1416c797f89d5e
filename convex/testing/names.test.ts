import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { api, internal } from "../_generated/api.js";
import { hashSecret } from "../model/authenticate.ts";
import { queue } from "../model/queue.ts";
import {
  addDevice,
  type Backend,
  expectRefusal,
  greeting,
  listKeys,
  type Organization,
  secret,
} from "./backend.fixture.ts";
import { listDevices } from "./listDevices.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
});

afterEach(closeWorld);

const hidden = "Ada\u001b[2J\u202e";

it("refuses hidden characters in every name that an admin or the operator enters", async () => {
  const { organizationId, ...named } = acme;
  const { deviceId } = await addDevice(t, acme);
  const keyHash = await hashSecret(named.apiKey + "2");
  const key = { session, keyHash, name: "k", prefix: "sk-gleaner-1" };
  const entry = {
    modelId: hidden,
    source: "bundled",
    sha256: "cd".repeat(32),
    sizeBytes: 1_000,
    licence: "",
    contextTokens: 512,
    template: null,
    pieces: null,
  };
  const price = { promptMicro: 1n, completionMicro: 1n };
  const rules = { values: { excludedPrograms: [hidden] }, locked: [] };
  const refused = [
    () => t.mutation(api.console.keys.create, { ...key, name: hidden }),
    () => t.mutation(api.console.keys.create, { ...key, dataClass: hidden }),
    () =>
      t.mutation(internal.setup.issueKey, { organizationId, keyHash, name: hidden, prefix: "sk-gleaner-1" }),
    () => t.mutation(api.console.codes.create, { session, codeHash: keyHash, label: hidden }),
    () => t.mutation(api.console.devices.label, { session, deviceId, groups: [hidden], dataClasses: [] }),
    () => t.mutation(api.console.devices.label, { session, deviceId, groups: [], dataClasses: [hidden] }),
    () => t.mutation(api.console.devices.limit, { session, deviceId, limits: { models: [hidden] } }),
    () => t.mutation(api.console.policy.save, { session, group: hidden, baseVersion: 0, rules }),
    () => t.mutation(api.console.policy.save, { session, group: "", baseVersion: 0, rules }),
    () => t.mutation(api.console.models.add, { session, entry, price }),
  ];
  for (const call of refused) await expectRefusal(call(), "invalid");
});

it("shows hidden characters in a device's reports, since nobody could correct them", async () => {
  const key = secret("gd_");
  const { code } = acme;
  await t.mutation(api.devices.enroll, { code, key, name: hidden, platform: "linux\u0007" });
  const speed = { prefill: 1, generate: 1, backend: "cpu\u009b" };
  const models = [{ modelId: "m\nn", state: "ready" as const, why: hidden, speed }];
  await t.mutation(api.devices.reportModels, { key, models });
  const [row] = await listDevices(t, session);
  expect(row).toMatchObject({
    name: "Ada\ufffd[2J\ufffd",
    platform: "linux\ufffd",
    models: [{ modelId: "m n", why: "Ada\ufffd[2J\ufffd", speed: { backend: "cpu\ufffd" } }],
  });
});

describe("the hello of a device", () => {
  const namesOf = (name: string) => ({
    kinds: [name],
    models: [name],
    contexts: [{ model: name, contextTokens: 64 }],
    tags: [name],
  });
  const hello = async (version: string | undefined, names = namesOf("m")) => {
    const { key } = await addDevice(t, acme);
    const { capabilities } = greeting();
    const said = { capabilities: { ...capabilities, ...names }, startup: true };
    await t.mutation(api.work.hello, { key, ...said, ...(version === undefined ? {} : { version }) });
  };

  it.each([
    "0.1.\u202e0",
    "0.1.0\n",
    "0.1.0-\u001b[2J",
    "1",
    "v0.1.0",
    "newest",
    "",
    `0.1.0-${"x".repeat(41)}`,
  ])("is refused with the version %j", async (version) => {
    await expectRefusal(hello(version), "invalid");
  });

  it.each(["0.1.0", "1.20.300-beta.1", undefined])("is accepted with the version %j", async (version) => {
    await hello(version);
  });

  it("shows hidden characters in what the device says of itself", async () => {
    await hello("0.1.0", namesOf(hidden));
    const [{ capabilities } = { capabilities: null }] = await listDevices(t, session);
    expect(capabilities).toMatchObject(namesOf("Ada\ufffd[2J\ufffd"));
  });
});

it("shows hidden characters that an earlier version stored of a device's hello", async () => {
  const { key } = await addDevice(t, acme);
  const { capabilities } = greeting([hidden]);
  // The queue is generic and accepts such names.
  await t.run(async (ctx) => {
    const said = {
      key,
      version: "0.1.\u202e0",
      capabilities: { ...capabilities, tags: [hidden] },
      startup: true,
    };
    await queue.workerMutation(ctx, queue.component.work.hello, said);
  });
  const shown = "Ada\ufffd[2J\ufffd";
  expect(await listDevices(t, session)).toMatchObject([
    { version: "0.1.\ufffd0", capabilities: { models: [shown], tags: [shown] } },
  ]);
});

it("shows hidden characters in names that an earlier version stored", async () => {
  const { deviceId } = await addDevice(t, acme);
  await t.run(async (ctx) => {
    await ctx.db.patch("devices", deviceId, { name: hidden });
    for (const { _id } of await ctx.db.query("enrolmentCodes").take(5)) {
      await ctx.db.patch("enrolmentCodes", _id, { label: hidden });
    }
    for (const { _id } of await ctx.db.query("apiKeys").take(5)) {
      await ctx.db.patch("apiKeys", _id, { name: hidden });
    }
  });
  const shown = "Ada\ufffd[2J\ufffd";
  expect(await listDevices(t, session)).toMatchObject([{ name: shown, enrolledBy: { label: shown } }]);
  expect(await t.query(api.console.codes.list, { session })).toMatchObject([{ label: shown }]);
  expect(await listKeys(t, session)).toMatchObject([{ name: shown }]);
});
