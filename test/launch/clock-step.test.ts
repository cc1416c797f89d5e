import { ConvexHttpClient } from "convex/browser";
import { ConvexError } from "convex/values";
import { expect, test } from "vitest";
import { parseExposition } from "../../app/statistics/parse-exposition.fixture.ts";
import { api } from "../../convex/_generated/api.js";
import { ask, makeClient } from "../../launch/farm/ask.ts";
import { startFarm } from "../../launch/farm/farm.ts";
import { ledgerFaults } from "../../launch/farm/ledger-faults.ts";
import { demoPrompts } from "../../launch/farm/prompts.ts";
import { createWallClock } from "../../packages/embedded/clock/wall-clock.fixture.ts";
import { run } from "./program.ts";

const hourMs = 3_600_000;
const minuteMs = 60_000;

/** Sends a wrong enrollment code and returns the refusal's code. */
async function refusalOfWrongCode(client: ConvexHttpClient): Promise<string> {
  const key = `gd_${"k".repeat(43)}`;
  const sent = { code: "GLN-AAAA-BBBB-CCCC", key, name: "laptop", platform: "linux x64" };
  const refused: unknown = await client.mutation(api.devices.enroll, sent).catch((error: unknown) => error);
  return refused instanceof ConvexError ? (refused.data as { readonly code: string }).code : String(refused);
}

test(
  "after the backend's clock goes back an hour, keys are accepted, jobs are done, paid and counted, also after a restart",
  { timeout: 10 * minuteMs },
  async () => {
    const clock = createWallClock();
    const farm = await startFarm({ backendEnv: clock.env });
    try {
      await farm.startDonor("steady");
      const client = makeClient(farm.backend.siteUrl, farm.organization.apiKey);
      const askAll = async (): Promise<readonly string[]> => {
        const asked = await Promise.all(
          demoPrompts(3).map(async (prompt) => await ask(client, farm.modelId, prompt, false)),
        );
        return asked.map(({ outcome }) => outcome.kind);
      };
      const answered = Array<string>(3).fill("answered");
      const guesser = new ConvexHttpClient(farm.backend.url, { logger: false });
      expect(await askAll()).toEqual(answered);
      await expect
        .poll(() => refusalOfWrongCode(guesser), { timeout: minuteMs, interval: 10 })
        .toBe("rate_limited");
      clock.step(-hourMs);
      // The full limiter lets codes through again in a minute, not in an hour.
      await expect
        .poll(() => refusalOfWrongCode(guesser), { timeout: 2 * minuteMs, interval: 1_000 })
        .not.toBe("rate_limited");
      expect(await askAll()).toEqual(answered);
      await farm.restartBackend("crash");
      expect(await askAll()).toEqual(answered);

      const { url, adminKey, siteUrl } = farm.backend;
      const program = run("cli/gleaner.ts", ["metrics-token", "--url", url], { GLEANER_ADMIN_KEY: adminKey });
      expect(await program.ended, program.output()).toBe(0);
      const authorization = `Bearer ${program.output().trim()}`;
      const counted = async (): Promise<number | undefined> => {
        const response = await fetch(`${siteUrl}/metrics`, { headers: { authorization } });
        const jobs = parseExposition(await response.text()).get("gleaner_jobs_total")?.samples ?? [];
        return jobs.find(({ labels }) => labels["outcome"] === "succeeded")?.value;
      };
      await expect.poll(counted, { timeout: 3 * minuteMs, interval: 1_000 }).toBe(9);
      expect(ledgerFaults(await farm.setup.ledgerCheck())).toEqual([]);
    } finally {
      await farm.close();
      clock.remove();
    }
  },
);
