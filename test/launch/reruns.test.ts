import { ConvexClient, ConvexHttpClient } from "convex/browser";
import { type FunctionArgs, makeFunctionReference } from "convex/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { usageOf } from "../../bench/support/usage.ts";
import { api } from "../../convex/_generated/api.js";
import { greeting } from "../../convex/testing/backend.fixture.ts";
import { makeSigningKey, registrationOf } from "../../convex/testing/signing.fixture.ts";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";
import { makeSecret } from "../../launch/organization/secrets.ts";

/** Which changes run the overview's numbers again, in a running backend. */
let farm: Farm;
let client: ConvexClient;
let http: ConvexHttpClient;
const key = makeSecret("gd_");

beforeAll(async () => {
  farm = await startFarm();
  http = new ConvexHttpClient(farm.backend.url, { logger: false });
  client = new ConvexClient(farm.backend.url, { logger: false, unsavedChangesWarning: false });
  const session = makeSecret("gs_");
  const token = await farm.setup.makeSignInToken(farm.organization.organizationId);
  await http.mutation(api.console.account.signIn, { token, session });
  const { enrollmentCode: code } = farm.organization;
  const signingKey = registrationOf(makeSigningKey(), key);
  await http.mutation(api.devices.enroll, { code, key, name: "laptop", platform: "linux-x64", signingKey });
  await http.mutation(api.work.hello, { key, ...greeting([farm.modelId]) });
  await new Promise((resolve) => {
    client.onUpdate(api.console.overview.summary, { session }, resolve);
  });
});

afterAll(async () => {
  await client.close();
  await farm.close();
});

/** How often a change runs the numbers again. */
async function rerunsAfter(change: () => Promise<unknown>): Promise<number> {
  const runs = async (): Promise<number> => {
    await new Promise((resolve) => setTimeout(resolve, 700));
    const { functions } = await usageOf(farm.backend.url, farm.adminKey);
    return functions.find((each) => each.function === "console/overview.js:summary")?.runs ?? 0;
  };
  const before = await runs();
  await change();
  return (await runs()) - before;
}

/** The least reruns of three tries: the projector, which runs once a minute, may fall into one. */
async function least(change: (n: number) => Promise<unknown>): Promise<number> {
  const counts: number[] = [];
  for (const n of [1, 2, 3]) counts.push(await rerunsAfter(async () => await change(n)));
  return Math.min(...counts);
}

type Activity = FunctionArgs<typeof api.devices.report>["activity"];

const report = async (activity: Activity, ...unknownFacts: string[]) =>
  await http.mutation(api.devices.report, { key, activity, unknownFacts });

test("a device's change runs the overview's numbers again only if one of them changes", async () => {
  const inUse = { kind: "holding", reason: "in-use" } as const;
  const tooHot = { kind: "holding", reason: "too-hot" } as const;
  await report(inUse);
  expect(await least(async (n) => await report(n % 2 === 0 ? inUse : tooHot))).toBe(0);
  expect(await least(async (n) => await report(tooHot, `fact ${String(n)}`))).toBe(0);
  const rollBack = async (n: number) =>
    await http.mutation(api.devices.report, {
      key,
      activity: tooHot,
      rolledBackVersion: `0.${String(n)}.5`,
    });
  expect(await least(rollBack)).toBe(0);
  const { memoryMb, ...capabilities } = greeting([farm.modelId]).capabilities;
  const hello = async (n: number) =>
    await http.mutation(api.work.hello, {
      key,
      version: "0.1.0",
      capabilities: { ...capabilities, memoryMb: memoryMb + n },
      startup: false,
    });
  expect(await least(hello)).toBe(0);
  expect(await rerunsAfter(async () => await report({ kind: "donating", reason: "idle" }))).toBeGreaterThan(
    0,
  );
});

test("a submission does not run them again, although it reserves credits", async () => {
  const admin = http as unknown as { setAdminAuth: (adminKey: string) => void };
  admin.setAdminAuth(farm.adminKey);
  const identify = makeFunctionReference<"query", { apiKey: string }, { keyId: string }>("requests:identify");
  const { keyId } = await http.query(identify, { apiKey: farm.organization.apiKey });
  const request = {
    messages: [{ role: "user", content: "Hi" }],
    maxTokens: 8,
    temperature: 0,
    topP: 1,
    seed: 7,
    stop: [],
  };
  const submit = async (): Promise<unknown> =>
    await http.mutation(
      makeFunctionReference<"mutation", Record<string, unknown>, unknown>("requests:submit"),
      {
        keyId,
        model: farm.modelId,
        work: { kind: "chat", request },
        stream: false,
      },
    );
  expect(await least(submit)).toBe(0);
});
