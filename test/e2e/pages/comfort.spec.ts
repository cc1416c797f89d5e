import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { breaks, comfortableHour } from "../../../app/comfort/hour.fixture.ts";
import { type ComfortHour, hourMs, hourOf } from "../../../app/comfort/hour.ts";
import { dataNames } from "../../../main/store/data-names.ts";
import { allRules, findingsOf } from "../support/axe.ts";
import { openDevices, openPage, signIn } from "../support/console.ts";
import { expect, test } from "../support/farm-test.ts";

test("a donor that stopped too slowly gives less and says so, and the console shows the objective", async ({
  farm,
  page,
}) => {
  // The count of each minute leaves the newest half minute for the next one.
  test.setTimeout(240_000);
  const folder = join(farm.folder.donorFolder, "comfort-1");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const hours: readonly ComfortHour[] = [
    { ...comfortableHour(), startAt: hourOf(Date.now()) - 2 * hourMs },
    { ...comfortableHour(0, breaks.yields), startAt: hourOf(Date.now()) - hourMs },
  ];
  const stored = { version: 1, hours, open: null, sentTo: 0 };
  await writeFile(join(folder, dataNames.comfort), JSON.stringify(stored));
  const donor = await farm.startDonor("comfort-1");

  await page.goto(String(donor.ready["panelUrl"]));
  const card = page.getByRole("region", { name: "Gives less for now" });
  await expect(card).toContainText("For now Gleaner gives less:");
  await expect(card).toContainText("stopping took too long");
  await expect(card).toContainText("the next step is after 3 more hours of donation");
  await page.getByRole("tab", { name: "Why" }).click();
  const comfort = page.getByRole("region", { name: "Comfort" });
  await expect(comfort).toContainText("broke a promise in 1 hour of donation (2 hours");
  await comfort.getByText(/^The last hour of donation/).click();
  await expect(comfort).toContainText("95 of 100 stops took 251 ms or less.");
  await expect(comfort).toContainText("This computer does not tell the speed of a fan.");
  expect(await findingsOf(page, allRules)).toEqual([]);

  await signIn(page, farm);
  const objective = page.getByRole("region", { name: /^Comfort of donors/ });
  await expect(objective).toContainText("50.0% of 2 donated hours kept every promise.", { timeout: 150_000 });
  await expect(objective).toContainText("Objective not kept");
  await expect(objective.getByRole("listitem")).toContainText("Mostly because stopping took too long.");
  expect(await findingsOf(page, allRules)).toEqual([]);
  await openPage(page, /^Devices/);
  await openDevices(page, "comfort-1");
  await page.getByRole("link", { name: "comfort-1" }).click();
  const own = page.getByRole("region", { name: "Comfort" });
  await expect(own).toContainText("1 of 2 donated hours in the last eight days kept every promise.");
  await expect(own.getByRole("list", { name: "Hours that broke a promise" })).toContainText("Stopping");
  await donor.stop();
});
