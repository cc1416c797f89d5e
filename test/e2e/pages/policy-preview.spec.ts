import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator, Page } from "@playwright/test";
import type { FactRecord } from "../../../app/policy/replay/record.ts";
import { replay } from "../../../app/policy/replay/replay.ts";
import { liveThrough } from "../../../app/policy/replay/simulate.fixture.ts";
import { sayHours } from "../../../app/policy/replay/totals.ts";
import { defaultRules, type Rules } from "../../../app/policy/rules.ts";
import { type Farm, startFarm } from "../../../launch/farm/farm.ts";
import { openDevices, openPage, signIn } from "../support/console.ts";
import { expect, test as base } from "../support/farm-test.ts";
import { chooseInRow } from "../support/row-menu.ts";

/** A farm of its own, since a preview counts the devices that other files left. */
const test = base.extend<object, { readonly farm: Farm }>({
  farm: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright wants a pattern here
    async ({}, use) => {
      const farm = await startFarm({ console: true });
      await use(farm);
      await farm.close();
    },
    { scope: "worker", timeout: 60_000 },
  ],
});

const rule = (page: Page, title: string): Locator => page.getByRole("group", { name: title, exact: true });
const unsaved = (page: Page): Locator => page.getByRole("region", { name: "Unsaved changes" });
const dialog = (page: Page): Locator => page.getByRole("dialog");
const preview = (page: Page): Locator => dialog(page).getByRole("region", { name: "Preview" });

const hour = 3_600;

/** Days of a computer that somebody uses for a while in each period, until an hour ago. */
function record(days: number, everySeconds: number, inputSeconds: number): readonly FactRecord[] {
  const from = Date.now() - (days * 24 + 1) * hour * 1_000;
  const periods = Math.floor((days * 24 * hour) / everySeconds);
  const soon = { afterSeconds: 10, facts: {}, inputSeconds };
  const later = Array.from({ length: periods }, () => ({ ...soon, afterSeconds: everySeconds }));
  return liveThrough([soon, ...later], defaultRules, 10_000, Math.floor(from)).records;
}

/** Puts a record into a donor's folder, as if it had written it. */
async function seed(farm: Farm, name: string, records: readonly FactRecord[]): Promise<void> {
  const folder = join(farm.folder.donorFolder, name, "facts");
  await mkdir(folder, { recursive: true });
  const days = Map.groupBy(records, ({ at }) => new Date(at).toISOString().slice(0, 10));
  for (const [day, lines] of days) {
    await writeFile(join(folder, `${day}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  }
}

const hoursOf = (records: readonly FactRecord[], rules: Partial<Rules> = {}): number =>
  replay(records, { rules: { ...defaultRules, ...rules }, since: 0, minuteOfWeek: () => 0 }).donated / 60_000;

const startUsed = async (farm: Farm, name: string) =>
  await farm.startDonor(name, { unattended: false, donateNowMinutes: null });

test("before rules are saved, devices replay their last days against them, and totals come back", async ({
  farm,
  page,
}) => {
  const often = record(6, hour, 2_700);
  const seldom = record(6, 12 * hour, 2 * hour);
  await seed(farm, "often", often);
  await seed(farm, "seldom", seldom);
  const donors = [await startUsed(farm, "often"), await startUsed(farm, "seldom")];
  const gone = await startUsed(farm, "gone");
  await gone.stop();
  await signIn(page, farm);
  await openPage(page, "Policy");
  await rule(page, "Idle after").getByRole("textbox").fill("1200");
  await unsaved(page).getByRole("button", { name: "Save" }).click();

  const now = hoursOf(often) + hoursOf(seldom);
  const then = hoursOf(seldom, { idleAfterSeconds: 1_200 });
  expect(hoursOf(often, { idleAfterSeconds: 1_200 })).toBe(0);
  expect(then).toBeGreaterThan(60);
  await expect(preview(page)).toContainText(
    `With this draft 2 devices would have given ${sayHours(then)} instead of ${sayHours(now)} in the last 7 days; 1 would never donate.`,
  );
  await expect(preview(page)).toContainText("2 of 3 devices answered; 1 is offline.");
  await expect(preview(page)).toContainText(`In fact they gave ${sayHours(now)}.`);
  await expect(preview(page).getByRole("row", { name: /Devices that never donate/ })).toContainText(/0.*1/);
  await expect(dialog(page).getByRole("list", { name: "Changes" })).toContainText(
    "Idle after: not set → 20 minutes",
  );

  // A device that comes now answers, too: it has recorded nothing yet.
  donors.push(await startUsed(farm, "gone"));
  await expect(preview(page)).toContainText("3 of 3 devices answered.");
  await expect(preview(page)).toContainText("1 device has no record yet and is not counted.");

  await dialog(page).getByLabel("Reason").fill("People complained about fans");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("The rules were saved.")).toBeVisible();
  const version = page.getByRole("table", { name: "Version history" }).getByRole("row", { name: /Current/ });
  await expect(version).toContainText("People complained about fans");
  await expect(version).toContainText("Owner");

  await page.getByRole("button", { name: "Undo last save" }).click();
  await expect(preview(page)).toContainText(`instead of ${sayHours(then)}`);
  await dialog(page).getByLabel("Reason").fill("It cost too much");
  await dialog(page).getByRole("button", { name: "Reset rules" }).click();
  await expect(page.getByRole("table", { name: "Version history" })).toContainText("It cost too much");
  for (const donor of donors) await donor.stop();
});

test("a preview asks only the devices of its group, and closing it saves nothing", async ({ farm, page }) => {
  await seed(farm, "elsewhere", record(1, hour, 600));
  const donor = await startUsed(farm, "elsewhere");
  await signIn(page, farm);
  await openDevices(page, "elsewhere");
  await chooseInRow(page, "elsewhere", "Edit groups");
  await page.getByLabel("Groups", { exact: true }).fill("attic");
  await page.getByRole("button", { name: "Save" }).click();
  await openPage(page, "Policy");
  await page.getByLabel("Rules for").selectOption("Group attic");
  await rule(page, "Hours").getByRole("combobox").selectOption("Only in these hours");
  await rule(page, "Hours").getByRole("button", { name: "Remove Hours, line 1" }).click();
  await unsaved(page).getByRole("button", { name: "Save" }).press("Enter");
  await expect(preview(page)).toContainText("With this draft 1 device would have given 0 h instead of");
  await expect(preview(page)).toContainText("1 would never donate.");
  await expect(preview(page)).toContainText("1 of 1 device answered.");
  await page.keyboard.press("Escape");
  await expect(unsaved(page)).toContainText("1 unsaved change");
  await unsaved(page).getByRole("button", { name: "Discard" }).click();
  await expect(page.getByText("No changes yet")).toBeVisible();
  await donor.stop();
});
