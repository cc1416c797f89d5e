import type { Page } from "@playwright/test";
import { type Farm, startFarm } from "../../../launch/farm/farm.ts";
import { allRules, findingsOf } from "../support/axe.ts";
import { chooseEntry, openPage, signIn } from "../support/console.ts";
import { expect, test } from "../support/farm-test.ts";
import { entryOf, makeSmallModel, type ModelHub, startModelHub } from "../support/model-hub.ts";

const modelId = "small";
const bytes = makeSmallModel(modelId);
let hub: ModelHub;
let farm: Farm;

test.beforeAll(async () => {
  hub = await startModelHub(new Map([[modelId, bytes]]));
  farm = await startFarm({ console: true, backendEnv: { MODEL_HOSTS: "models.invalid" } });
});

test.afterAll(async () => {
  await farm.close();
  hub.close();
});

test("a person removes a model from the disk and fetches it again", async ({ page, browser }) => {
  const console = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  await signIn(console, farm);
  await addModel(console);

  await page.setViewportSize({ width: 420, height: 640 });
  const donor = await farm.startDonor("models", { env: hub.env });
  await page.goto(String(donor.ready["panelUrl"]));
  await page.getByRole("tab", { name: "Models" }).click();
  const models = page.getByRole("list", { name: "Models" });
  const bundled = models.getByRole("listitem").filter({ hasText: "gleaner-demo" });
  await expect(bundled).toContainText("It came with the program.");
  await expect(bundled.getByRole("button")).toHaveCount(0);

  const row = models.getByRole("listitem").filter({ has: page.getByText(modelId, { exact: true }) });
  await expect(row).toContainText("Ready");
  await expect(row).toContainText(/on the disk.*Last used/);
  const disk = page.getByRole("region", { name: "Disk space" });
  await expect(disk).toContainText(/Downloaded models take \d+ kB of 21\.5 GB\./);
  expect(await findingsOf(page, allRules)).toEqual([]);

  await row.getByRole("button", { name: "Remove" }).click();
  const dialog = page.getByRole("dialog", { name: `Remove ${modelId}?` });
  await expect(dialog).toContainText("It comes back only if you fetch it again.");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(row).toContainText("Ready");
  await row.getByRole("button", { name: "Remove" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await expect(row).toContainText("You removed it from this computer");
  await expect(row.getByRole("button", { name: "Remove" })).toHaveCount(0);

  await row.getByRole("button", { name: "Fetch again" }).click();
  await expect(row).toContainText("Ready");
  await disk.getByRole("button", { name: /^Setting/ }).click();
  await expect(page.getByRole("group", { name: "Maximum disk space for models" })).toBeFocused();
  await donor.stop();
});

async function addModel(page: Page): Promise<void> {
  await openPage(page, "Models");
  await page.getByRole("button", { name: "Add model" }).click();
  const dialog = page.getByRole("dialog");
  await chooseEntry(dialog, entryOf(modelId, bytes));
  await expect(dialog.getByLabel("Name")).toHaveValue(modelId);
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect(page.getByText(`${modelId} was added.`)).toBeVisible();
}
