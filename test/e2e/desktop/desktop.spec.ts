import { execFileSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ElectronApplication, Locator, Page } from "@playwright/test";
import { calls, isCallOf } from "../../../app/contract/donor-calls.ts";
import { makeClient } from "../../../launch/farm/ask.ts";
import type { Farm } from "../../../launch/farm/farm.ts";
import { ledgerFaults } from "../../../launch/farm/ledger-faults.ts";
import { type JobRow, Watcher } from "../../../launch/farm/watcher.ts";
import { piecesOf, sayingsOf, tracesIn } from "../../../main/traces.fixture.ts";
import { startDesktop } from "../support/desktop.ts";
import { askFor, expect, test } from "../support/farm-test.ts";
import { startTrayHost, trayIcons } from "../support/tray-host.ts";

test.describe.configure({ mode: "serial" });

const longPrompt = "42";

/** Short, so that the test waits for seconds instead of minutes. */
const idleAfterSeconds = 10;

async function launch(farm: Farm, name: string, extra: readonly string[] = []): Promise<ElectronApplication> {
  const code = await farm.setup.issueEnrollmentCode(farm.organization.organizationId, name);
  const model = farm.modelFolder === null ? [] : ["--model", join(farm.modelFolder, "manifest.json")];
  const folder = join(farm.folder.donorFolder, name);
  return await startDesktop(
    ["--data", folder, "--backend", farm.backend.url, "--name", name, ...model, ...extra],
    {
      GLEANER_CODE: code,
    },
  );
}

/** Moves the real pointer through the X server, as a person would. */
function moveMouse(): void {
  execFileSync("xdotool", ["mousemove_relative", "--", String(Math.random() < 0.5 ? 7 : -7), "5"]);
}

function status(window: Page) {
  return window.getByRole("region", { name: "Status" });
}

test("the tray icon stays when the window is closed", async ({ slowFarm }) => {
  const host = await startTrayHost();
  const app = await launch(slowFarm, "desktop-tray");
  const window = await app.firstWindow();
  await expect(window.getByText("Demo organization")).toBeVisible();
  await expect.poll(() => trayIcons(), { timeout: 15_000 }).toBe(1);
  await window.evaluate(() => close());
  await sleep(500);
  expect(trayIcons()).toBe(1);
  await app.close();
  host.stop();
});

test("the window is sandboxed and reaches only the contract", async ({ slowFarm }) => {
  const app = await launch(slowFarm, "desktop-sandbox");
  const window = await app.firstWindow();
  await expect(status(window)).toBeVisible();
  const reached = await window.evaluate(() => ({
    node: typeof (globalThis as { process?: unknown }).process,
    require: typeof (globalThis as { require?: unknown }).require,
    bridge: Object.keys((globalThis as unknown as { gleaner: object }).gleaner).toSorted(),
    window: Object.keys((globalThis as unknown as { gleanerWindow: object }).gleanerWindow),
  }));
  expect(reached).toMatchObject({
    node: "undefined",
    require: "undefined",
    window: ["rendered", "choseLanguage"],
  });
  expect(reached.bridge).toEqual(
    [...Object.keys(calls).filter((name) => isCallOf("panel", name)), "onDelta"].toSorted(),
  );
  const preferences = await app.evaluate(({ webContents }) =>
    webContents.getAllWebContents().map((contents) => {
      // Documented by Electron, but missing in its types.
      const asked = contents as unknown as { getLastWebPreferences(): Electron.WebPreferences };
      const { sandbox, contextIsolation, nodeIntegration, webviewTag } = asked.getLastWebPreferences();
      return { sandbox, contextIsolation, nodeIntegration, webviewTag };
    }),
  );
  expect(preferences).toEqual([
    { sandbox: true, contextIsolation: true, nodeIntegration: false, webviewTag: false },
  ]);
  const windowsBefore = app.windows().length;
  await window.evaluate(() => open("https://example.org"));
  await sleep(300);
  expect(app.windows().length).toBe(windowsBefore);
  await app.close();
});

test("input stops a running job within a second, and the job is done only once", async ({ slowFarm }) => {
  const app = await launch(slowFarm, "desktop-yield");
  const window = await app.firstWindow();
  await expect(window.getByText("Demo organization")).toBeVisible();
  const earnedBefore = await earnedByDevice(slowFarm);
  await window.evaluate(
    (seconds) =>
      (globalThis as unknown as { gleaner: { setRules(rules: object): Promise<unknown> } }).gleaner.setRules({
        idleAfterSeconds: seconds,
        maxOtherCpuLoad: 1,
      }),
    idleAfterSeconds,
  );
  await expect(status(window)).toContainText(/Ready for a job|Working on a job/, { timeout: 40_000 });

  const answer = makeClient(slowFarm.backend.siteUrl, slowFarm.organization.apiKey).chat.completions.create({
    model: slowFarm.modelId,
    messages: [{ role: "user", content: longPrompt }],
    temperature: 0,
    max_completion_tokens: 1_200,
  });

  const progress = window.getByTestId("work-progress");
  // The runner starts late on a busy machine.
  await expect(progress).toBeVisible({ timeout: 90_000 });
  const lengths: number[] = [];
  while (lengths.length < 3) {
    const length = await writtenChars(progress);
    if (length > (lengths.at(-1) ?? 0)) lengths.push(length);
    await sleep(50);
  }

  const before = Date.now();
  moveMouse();
  await expect(status(window)).toContainText("You are using it", { timeout: 5_000 });
  const took = Date.now() - before;
  test.info().annotations.push({ type: "from input to the reason shown", description: `${took} ms` });
  await expect(progress).toHaveCount(0);

  // The job went back to the queue. Another device completes it.
  const other = await slowFarm.startDonor("desktop-other");
  const completion = await answer;
  expect(completion.usage?.completion_tokens).toBeGreaterThan(0);
  const history = await jobsOf(slowFarm);
  expect(history[0]?.attempts.map((attempt) => attempt.status)).toEqual(["released", "succeeded"]);
  expect(ledgerFaults(await slowFarm.setup.ledgerCheck())).toEqual([]);
  const earned = [...(await earnedByDevice(slowFarm))].filter(
    ([name, micro]) => micro !== (earnedBefore.get(name) ?? 0n),
  );
  expect(earned).toHaveLength(1);
  await other.stop();
  await app.close();
});

test("quitting releases the job", async ({ slowFarm }) => {
  const app = await launch(slowFarm, "desktop-quit", ["--donate-now", "60"]);
  const window = await app.firstWindow();
  await expect(status(window)).toContainText("“Donate now” is on");
  const answer = askFor(slowFarm, longPrompt, slowFarm.organization.apiKey, 1_200);
  await expect(window.getByTestId("work-progress")).toBeVisible({ timeout: 30_000 });
  await app.close();
  const other = await slowFarm.startDonor("desktop-after-quit");
  expect((await answer).length).toBeGreaterThan(0);
  const [job] = await jobsOf(slowFarm);
  expect(job?.attempts.map((attempt) => attempt.status)).toEqual(["released", "succeeded"]);
  await other.stop();
});

test("no file, no log and no window contains a prompt or an answer", async ({ slowFarm }) => {
  const name = "desktop-discreet";
  const app = await launch(slowFarm, name, ["--donate-now", "60", "--verbose"]);
  let stderr = "";
  app.process().stderr?.on("data", (bytes: Buffer) => (stderr += bytes.toString()));
  const window = await app.firstWindow();
  await expect(status(window)).toContainText("“Donate now” is on");
  const prompt = "zanzibar-of-the-test";
  const answer = askFor(slowFarm, prompt, slowFarm.organization.apiKey, 600);
  const progress = window.getByTestId("work-progress");
  // The runner starts late on a busy machine.
  await expect(progress).toBeVisible({ timeout: 90_000 });
  await expect.poll(() => writtenChars(progress)).toBeGreaterThan(100);
  const shown = await window.evaluate(async () => {
    const { gleaner } = globalThis as unknown as { gleaner: { getSnapshot(none: null): Promise<unknown> } };
    return JSON.stringify(await gleaner.getSnapshot(null)) + document.documentElement.outerHTML;
  });
  const secrets = [prompt, ...piecesOf(await answer)];
  expect(secrets.length).toBeGreaterThan(2);
  expect(secrets.filter((secret) => shown.includes(secret))).toEqual([]);
  await app.close();

  const log = sayingsOf(stderr.split("\n"));
  expect(log).toContain("worker.wake");
  expect(secrets.filter((secret) => log.includes(secret))).toEqual([]);
  const folder = join(slowFarm.folder.donorFolder, name);
  expect(await readdir(join(folder, "desktop"))).toContain("Cache");
  expect(await tracesIn(folder, secrets)).toEqual([]);
});

/** The number of characters that the panel says were written; 0 while no job is shown. */
async function writtenChars(progress: Locator): Promise<number> {
  return Number(await progress.getAttribute("data-chars", { timeout: 500 }).catch(() => "0"));
}

const jobsOf = (farm: Farm): Promise<readonly JobRow[]> => asAdmin(farm, (watcher) => watcher.jobs(5));

async function earnedByDevice(farm: Farm): Promise<ReadonlyMap<string, bigint>> {
  const devices = await asAdmin(farm, (watcher) => watcher.devices());
  return new Map(devices.map(({ name, earnedMicro }) => [name, earnedMicro ?? 0n]));
}

async function asAdmin<T>(farm: Farm, ask: (watcher: Watcher) => Promise<T>): Promise<T> {
  const token = await farm.setup.makeSignInToken(farm.organization.organizationId);
  const watcher = await Watcher.signIn(farm.backend.url, token);
  try {
    return await ask(watcher);
  } finally {
    await watcher.close();
  }
}
