import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";
import { Watcher } from "../../launch/farm/watcher.ts";

/** Calls that wait, with the official client as it is: it retries by itself, and names its runtime. */
let farm: Farm;
let watcher: Watcher;
let client: OpenAI;

beforeAll(async () => {
  farm = await startFarm();
  watcher = await Watcher.signIn(farm.backend.url, farm.organization.signInToken);
  client = clientThat({});
});
afterAll(async () => {
  await watcher.close();
  await farm.close();
});

function clientThat(options: { readonly timeout?: number; readonly maxRetries?: number }): OpenAI {
  return new OpenAI({
    baseURL: `${farm.backend.siteUrl}/v1`,
    apiKey: farm.organization.apiKey,
    ...options,
  });
}

const question = (content: string) => ({
  model: farm.modelId,
  messages: [{ role: "user" as const, content }],
  temperature: 0,
  max_completion_tokens: 16,
});

test("a call is refused at once where no device could answer, and says so", async () => {
  await expect(client.chat.completions.create(question("Hi"))).rejects.toMatchObject({
    status: 503,
    code: "no_device",
    message: expect.stringContaining("It has no devices.") as string,
  });
  expect(await watcher.jobs(10)).toEqual([]);
});

test("an answer's headers tell how it came about, and how many calls are left", async () => {
  const donor = await farm.startDonor("waiting-1");
  const { data, response } = await client.chat.completions
    .create(question("What is the capital of Greece?"))
    .withResponse();
  expect(data.choices[0]?.message.content).toContain("Athens");
  const header = (name: string) => response.headers.get(name) ?? "";
  expect(header("x-gleaner-queue-ms")).toMatch(/^\d+$/);
  expect(header("x-gleaner-device-class")).toMatch(/^linux-(x64|arm64)/);
  expect(header("x-gleaner-model-sha256")).toMatch(/^[0-9a-f]{64}$/);
  expect(Number(header("x-ratelimit-remaining-requests"))).toBeLessThan(
    Number(header("x-ratelimit-limit-requests")),
  );
  expect(header("x-ratelimit-reset-requests")).toMatch(/^\d+(ms|s)$/);
  await donor.stop();
});

test("a retry of the client gets the job of its first call, not a second one", async () => {
  const before = (await watcher.jobs(10)).length;
  const impatient = clientThat({ timeout: 7_000, maxRetries: 5 });
  const asked = impatient.chat.completions.create(question("What is the capital of Norway?"));
  await expect.poll(async () => (await watcher.jobs(10)).length).toBe(before + 1);
  const jobId = (await watcher.jobs(10))[0]?.jobId;
  // The client gives up after seven seconds, and asks again.
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  await farm.startDonor("waiting-2");
  const { data, response } = await asked.withResponse();
  expect(data.choices[0]?.message.content).toContain("Oslo");
  expect(response.headers.get("x-gleaner-job")).toBe(jobId);
  const jobs = await watcher.jobs(10);
  expect(jobs).toHaveLength(before + 1);
  expect(jobs[0]).toMatchObject({ jobId, status: "succeeded" });
});
