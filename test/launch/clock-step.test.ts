import { expect, test } from "vitest";
import { parseExposition } from "../../app/statistics/parse-exposition.fixture.ts";
import { ask, makeClient } from "../../launch/farm/ask.ts";
import { startFarm } from "../../launch/farm/farm.ts";
import { ledgerFaults } from "../../launch/farm/ledger-faults.ts";
import { demoPrompts } from "../../launch/farm/prompts.ts";
import { createWallClock } from "../../packages/embedded/clock/wall-clock.fixture.ts";
import { run } from "./program.ts";

const hourMs = 3_600_000;
const minuteMs = 60_000;

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
      expect(await askAll()).toEqual(answered);
      clock.step(-hourMs);
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
