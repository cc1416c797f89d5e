import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ElectronApplication, Page } from "@playwright/test";
import { startOfDay } from "../../../app/format/time.ts";
import { startTrayHost, type TrayHost } from "../../../bench/desktop/tray-host.ts";
import { callDonor } from "../../../main/face/local-socket/client.ts";
import { type CuttableLine, cuttableLine } from "../../../packages/queue/worker/cuttable-line.fixture.ts";
import { startDesktop } from "../support/desktop.ts";
import { askFor, expect, test } from "../support/farm-test.ts";
import { ClickLog, DesktopIcon, shapesOf } from "../support/tray-icon.ts";

test.describe.configure({ mode: "serial" });

const name = "tray";
const icons = join(import.meta.dirname, "../../../resources/icons/tray");
const states = ["working", "donating", "standby", "paused", "needs-you", "offline"];
const minuteMs = 60_000;

let socketFolder: string;
let host: TrayHost;
let line: CuttableLine;
let folder: string;
let args: readonly string[];
let app: ElectronApplication;
let icon: DesktopIcon;
const log = new ClickLog();

test.beforeAll(async ({ slowFarm }) => {
  socketFolder = await mkdtemp(join(tmpdir(), "tray-"));
  host = await startTrayHost(socketFolder);
  line = await cuttableLine(new URL(slowFarm.backend.url));
  folder = join(slowFarm.folder.donorFolder, name);
  const manifest = join(slowFarm.modelFolder ?? "", "manifest.json");
  args = ["--hidden", "--data", folder, "--backend", line.url, "--name", name, "--model", manifest];
  await start();
});

test.afterAll(async () => {
  await app.close();
  await line.close();
  await host.close();
  await rm(socketFolder, { recursive: true });
});

async function start(): Promise<void> {
  const registered = host.nextIcon();
  app = await startDesktop(args, { DBUS_SESSION_BUS_ADDRESS: host.busAddress });
  icon = new DesktopIcon(await registered, await shapesOf(app, icons, states), log);
}

const expectState = (state: string) => expect.poll(() => icon.state(), { timeout: 60_000 }).toBe(state);
const expectTooltip = (words: string | RegExp) => expect.poll(() => icon.tooltip()).toMatch(words);

async function status() {
  const outcome = await callDonor(folder, "status", null);
  if (outcome.kind !== "ok") throw new Error(`The donor does not answer: ${JSON.stringify(outcome)}`);
  return outcome.value;
}

async function setRules(rules: object): Promise<void> {
  expect(await callDonor(folder, "setRules", rules)).toMatchObject({ kind: "ok" });
}

async function openedBy(act: () => Promise<void>): Promise<Page> {
  const opened = app.waitForEvent("window");
  await act();
  return await opened;
}

async function close(page: Page): Promise<void> {
  await page.evaluate(() => globalThis.close());
  await expect.poll(() => app.windows()).toHaveLength(0);
}

test("it needs its person until the computer has joined", async ({ slowFarm }) => {
  await expectState("needs-you");
  await expectTooltip("Gleaner needs an enrollment code to join your organization.");
  const { texts, items } = await icon.menu();
  expect(texts).toEqual([await icon.tooltip()]);
  expect(items.map(({ label }) => label)).toEqual(["Join your organization…", "Open Gleaner", "Quit"]);
  await close(await openedBy(() => icon.click("Open Gleaner")));

  const page = await openedBy(() => icon.click("Join your organization…"));
  const code = await slowFarm.setup.issueEnrollmentCode(slowFarm.organization.organizationId, name);
  await page.getByLabel("Enrollment code").fill(code);
  await page.getByRole("button", { name: "Join", exact: true }).click();
  await expect(page.getByText("Demo organization")).toBeVisible();
  await close(page);
  // The X server may have had no input for long, and the computer is busy with the tests.
  await setRules({ idleAfterSeconds: 86_400, maxOtherCpuLoad: 1 });
  await expectState("standby");
  await expectTooltip("Gleaner waits until you are away.");
  await expect.poll(async () => (await icon.menu()).texts).toContain("Today: 0 jobs, 0 credits");
});

/** When each pause of the menu ends. Null: when its person resumes. */
const pauseEnds: Readonly<Record<string, (now: number) => number | null>> = {
  "For 15 minutes": (now) => now + 15 * minuteMs,
  "For 1 hour": (now) => now + 60 * minuteMs,
  "For 4 hours": (now) => now + 240 * minuteMs,
  "Until tomorrow 8:00": (now) => atEight(now, 1),
  "Until Monday 8:00": (now) => atEight(now, ((7 - new Date(now).getDay()) % 7) + 1),
  "Until I resume": () => null,
};

function atEight(now: number, daysLater: number): number {
  const at = new Date(startOfDay(now));
  at.setDate(at.getDate() + daysLater);
  return at.setHours(8);
}

test("each of its pauses lasts as long as it says, and ends by resuming", async () => {
  const offered = (await icon.menu()).items.filter(({ within }) => within?.label === "Pause");
  expect(offered.map(({ label }) => label)).toEqual([...Object.keys(pauseEnds), "Another time…"]);
  for (const [label, endOf] of Object.entries(pauseEnds)) {
    await icon.click(label);
    const end = endOf(Date.now());
    await expect.poll(async () => (await status()).pause, label).not.toBeNull();
    const until = (await status()).pause?.until ?? null;
    if (end === null || until === null) expect(until, label).toBe(end);
    else expect(Math.abs(until - end), label).toBeLessThan(1.5 * minuteMs);
    await expectState("paused");
    await expectTooltip(
      end === null ? "Gleaner is paused until you resume it." : /^Gleaner is paused until .*\d\d:\d\d\.$/,
    );
    expect(await icon.labels()).not.toContain("For 1 hour");
    await icon.click("Resume");
    await expect.poll(async () => (await status()).pause, label).toBeNull();
    await expectState("standby");
  }
  const page = await openedBy(() => icon.click("Another time…"));
  await expect(page.getByRole("button", { name: "Pause" })).toBeVisible();
  await close(page);
});

test("it donates now for an hour, stops, and offers it only where the rules allow it", async () => {
  await icon.click("Donate now for 1 hour");
  await expect.poll(async () => (await status()).donateNowUntil).toBeGreaterThan(Date.now() + 58 * minuteMs);
  expect((await status()).donateNowUntil).toBeLessThan(Date.now() + 61 * minuteMs);
  await expectState("donating");
  await expectTooltip("Gleaner donates now, even while you work.");
  expect(await icon.labels()).not.toContain("Donate now for 1 hour");
  await icon.click("Stop donating now");
  await expect.poll(async () => (await status()).donateNowUntil).toBeNull();
  await expectState("standby");

  await setRules({ allowDonateNow: false });
  await expect.poll(() => icon.labels()).not.toContain("Donate now for 1 hour");
  await setRules({ allowDonateNow: true });
  await expect.poll(() => icon.labels()).toContain("Donate now for 1 hour");
});

test("it shows work, finishes a job before a pause, and counts the day's jobs", async ({ slowFarm }) => {
  test.slow();
  await icon.click("Donate now for 1 hour");
  await expectState("donating");
  const answer = askFor(slowFarm, "42", slowFarm.organization.apiKey, 600);
  await expectState("working");
  await expectTooltip("Gleaner is working on a job for your organization.");
  await icon.click("Finish this job, then pause");
  await expect.poll(async () => (await status()).finishing).toBe(true);
  await expectTooltip("Gleaner finishes its job and then pauses.");
  await icon.click("Keep donating");
  await expect.poll(async () => (await status()).finishing).toBe(false);
  await icon.click("Finish this job, then pause");
  expect((await answer).length).toBeGreaterThan(0);
  await expectState("paused");
  expect(await status()).toMatchObject({ pause: { until: null }, finishing: false, job: null });
  await expect
    .poll(async () => (await icon.menu()).texts.join())
    .toMatch(/Today: 1 job, (?!0 )[\d.,]+ credits/);
  await icon.click("Resume");
  await expectState("standby");
});

test("it shows that the organization cannot be reached", async () => {
  line.cut();
  await expectState("offline");
  await expectTooltip("Gleaner cannot reach your organization, and keeps trying.");
  line.restore();
  await expectState("standby");
});

test("it opens the preferences in a new window and in an open one", async () => {
  const page = await openedBy(() => icon.click("Preferences…"));
  const tab = (label: string) => page.getByRole("tab", { name: label });
  await expect(tab("Settings")).toHaveAttribute("aria-selected", "true");
  await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
  for (let times = 0; times < 2; times += 1) {
    await tab("Now").click();
    await expect(tab("Settings")).toHaveAttribute("aria-selected", "false");
    await icon.click("Preferences…");
    await expect(tab("Settings")).toHaveAttribute("aria-selected", "true");
  }
  expect(await page.evaluate(() => "isSamePage" in globalThis)).toBe(true);
  await close(page);
  const again = await openedBy(() => icon.activate());
  await expect(again.getByRole("tab", { name: "Now" })).toHaveAttribute("aria-selected", "true");
  await close(again);
});

test("it quits, and leads to joining again after a computer has lost its key", async () => {
  const ended = new Promise((resolve) => app.process().once("exit", resolve));
  await icon.click("Quit");
  expect(await ended).toBe(0);
  const file = join(folder, "device.json");
  const { signingKey: _lost, ...kept } = JSON.parse(await readFile(file, "utf8")) as Record<string, unknown>;
  expect(_lost).toBeDefined();
  await writeFile(file, JSON.stringify(kept));
  await start();
  await expectState("needs-you");
  await expectTooltip("Gleaner needs to join your organization again.");
  const page = await openedBy(() => icon.click("Leave and join again…"));
  await expect(page.getByRole("button", { name: "Leave…" })).toBeVisible();
  await close(page);
});

test("every entry of its menus was clicked", () => {
  expect(log.left()).toEqual([]);
  expect(log.seen.size).toBeGreaterThan(10);
});
