import { afterAll, beforeAll, expect, test } from "vitest";
import { parseExposition, valueOf } from "../../app/statistics/parse-exposition.fixture.ts";
import { ask, makeClient } from "../../launch/farm/ask.ts";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";
import { demoPrompts } from "../../launch/farm/prompts.ts";
import { run } from "./program.ts";

/** An organization's metrics, as Prometheus reads them from a running backend. */
let farm: Farm;

beforeAll(async () => {
  farm = await startFarm();
  await farm.startDonor("metrics");
});
afterAll(async () => {
  await farm.close();
});

const scrape = async (token?: string): Promise<Response> =>
  await fetch(
    `${farm.backend.siteUrl}/metrics`,
    token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
  );

/** Runs `gleaner metrics-token`, and returns what it prints. */
async function gleaner(...args: readonly string[]): Promise<string> {
  const { url, adminKey } = farm.backend;
  const program = run("cli/gleaner.ts", ["metrics-token", "--url", url, ...args], {
    GLEANER_ADMIN_KEY: adminKey,
  });
  expect(await program.ended, program.output()).toBe(0);
  return program.output().trim();
}

test("jobs, waits, tokens, credits and devices are at /metrics for the holder of the token", async () => {
  expect((await scrape()).status).toBe(401);
  expect((await scrape(farm.organization.apiKey)).status).toBe(401);
  const token = await gleaner();
  expect(token).toMatch(/^gm_[\w-]{43}$/);
  const client = makeClient(farm.backend.siteUrl, farm.organization.apiKey);
  const answers = await Promise.all(
    demoPrompts(5).map(async (prompt) => await ask(client, farm.modelId, prompt, false)),
  );
  expect(answers.map(({ outcome }) => outcome.kind)).toEqual(Array<string>(5).fill("answered"));
  const model = farm.modelId;
  const read = async () => {
    const response = await scrape(token);
    expect(response.status).toBe(200);
    return parseExposition(await response.text());
  };
  // The count of each minute leaves the newest half minute for the next one.
  const answered = async () =>
    (await read()).get("gleaner_jobs_total")?.samples.find(({ labels }) => labels["outcome"] === "succeeded");
  await expect
    .poll(answered, { timeout: 150_000, interval: 1_000 })
    .toMatchObject({ labels: { model }, value: 5 });
  const metrics = await read();
  const written = answers.reduce(
    (sum, { outcome }) => sum + (outcome.kind === "answered" ? outcome.completionTokens : 0),
    0,
  );
  expect(valueOf(metrics, "gleaner_tokens_total", { model, type: "completion" })).toBe(written);
  expect(valueOf(metrics, "gleaner_job_wait_seconds_count", { model })).toBe(5);
  expect(valueOf(metrics, "gleaner_job_run_seconds_sum", { model })).toBeGreaterThan(0);
  expect(valueOf(metrics, "gleaner_devices", { state: "donating" })).toBe(1);
  expect(valueOf(metrics, "gleaner_credits", { holder: "escrow" })).toBe(0);
  expect(valueOf(metrics, "gleaner_credits", { holder: "devices" })).toBeCloseTo(
    valueOf(metrics, "gleaner_credits_spent_total", { model }),
  );
  expect(await gleaner("--remove")).toMatch(/^Nobody can read the metrics of /);
  expect((await scrape(token)).status).toBe(401);
});
