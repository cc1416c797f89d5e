import type { Page } from "@playwright/test";
import { makeClient } from "../../../launch/farm/ask.ts";
import { type Farm, startFarm } from "../../../launch/farm/farm.ts";
import { chooseEntry, openDevices, openPage, signIn } from "../support/console.ts";
import { expect, test } from "../support/farm-test.ts";
import { entryOf, makeSmallModel, type ModelHub, startModelHub } from "../support/model-hub.ts";
import { chooseInRow } from "../support/row-menu.ts";

// The tests use one farm one after the other, since each shows what the one before left.
test.describe.configure({ mode: "serial" });

const good = makeSmallModel("good");
const other = makeSmallModel("other");
let hub: ModelHub;
let farm: Farm;

test.beforeAll(async () => {
  // The hub sends another file for "wrong" than its entry says.
  hub = await startModelHub(
    new Map([
      ["good", good],
      ["wrong", good],
    ]),
  );
  farm = await startFarm({ console: true, backendEnv: { MODEL_HOSTS: "models.invalid" } });
});

test.afterAll(async () => {
  await farm.close();
  hub.close();
});

/** Adds a model by its entry file, in stages that a person begins. */
async function addInStages(page: Page, modelId: string, bytes: Buffer): Promise<void> {
  await page.getByRole("button", { name: "Add model" }).click();
  const dialog = page.getByRole("dialog");
  await chooseEntry(dialog, entryOf(modelId, bytes));
  await expect(dialog.getByLabel("Name")).toHaveValue(modelId);
  await dialog.getByLabel("Roll-out").selectOption("stages");
  await dialog.getByLabel("Stages", { exact: true }).fill("1, 60 %");
  await expect(dialog.getByRole("alert")).toHaveText("The last stage has to be 100%.");
  await dialog.getByLabel("Stages", { exact: true }).fill("1, 60 %, 100 %");
  await dialog.getByLabel("A stage lasts at least").fill("0");
  await dialog.getByLabel("Somebody begins each stage by hand").check();
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect(page.getByText(`${modelId} was added.`)).toBeVisible();
}

test("the overview offers a new organization one model, and says that the hub cannot be read", async ({
  page,
}) => {
  await signIn(page, farm);
  await expect(page.getByRole("region", { name: "Add a first model" })).toContainText(
    "Each device downloads about 2.5 GB and needs 8 GB of memory.",
  );
  await page.getByRole("link", { name: "Add Qwen3 4B" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByLabel("Link to a GGUF file")).toHaveValue(
    "Qwen/Qwen3-4B-GGUF/Qwen3-4B-Q4_K_M.gguf",
  );
  await expect(dialog.getByRole("alert")).toContainText("may not read models from huggingface.co");
  await expect(dialog).toContainText("You can add the model without this");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await openPage(page, "Overview");
  await page.getByRole("button", { name: "Dismiss" }).click();
  await expect(page.getByText("Add a first model")).toBeHidden();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Add a first model")).toBeVisible();
});

test("a model goes to one device first, works for requests, and then to all, with pause and undo", async ({
  page,
}) => {
  test.slow();
  await Promise.all(["roll-1", "roll-2", "roll-3"].map((name) => farm.startDonor(name, { env: donorEnv() })));
  await signIn(page, farm);
  await openDevices(page, "roll");
  for (const name of ["roll-1", "roll-2", "roll-3"]) {
    await expect(page.getByRole("row", { name: new RegExp(name) }).first()).toContainText("Donating", {
      timeout: 60_000,
    });
  }
  await openPage(page, "Models");
  await addInStages(page, "good", good);
  const panel = page.getByRole("region", { name: "Roll-out of good" });
  await expect(panel.getByRole("listitem").nth(0)).toContainText("1 ready", { timeout: 60_000 });
  await expect(panel.getByRole("listitem").nth(1)).toContainText("1 not asked yet");
  await expect(panel).toContainText("It waits until somebody begins the next one.");
  const client = makeClient(farm.backend.siteUrl, farm.organization.apiKey);
  const answer = await client.chat.completions.create({
    model: "good",
    messages: [{ role: "user", content: "Hello" }],
    max_completion_tokens: 4,
  });
  expect(answer.choices).toHaveLength(1);
  await page.getByRole("button", { name: "Devices with good" }).click();
  const devices = page.getByRole("table", { name: "Devices with good" });
  await expect(devices.getByRole("row")).toHaveCount(2);

  const dialog = page.getByRole("dialog");
  await panel.getByRole("button", { name: "Pause: good" }).click();
  await expect(dialog).toContainText("No further stage begins until somebody continues.");
  await dialog.getByRole("button", { name: "Pause" }).click();
  await expect(panel).toContainText("Roll-out paused");
  await panel.getByRole("button", { name: "Undo last change: good" }).click();
  await dialog.getByRole("button", { name: "Undo" }).click();
  await expect(panel).toContainText("Rolling out");

  await panel.getByRole("button", { name: "Begin next stage: good" }).click();
  await expect(dialog).toContainText(/This will ask 1 more device to download/);
  await dialog.getByRole("button", { name: "Begin next stage" }).click();
  await expect(panel.getByRole("listitem").nth(1)).toContainText("1 ready", { timeout: 60_000 });
  await expect(panel.getByRole("listitem").nth(2)).toContainText("1 not asked yet");
  await panel.getByRole("button", { name: "Give to all devices: good" }).click();
  await dialog.getByRole("button", { name: "Give to all devices" }).click();
  await expect(panel).toBeHidden({ timeout: 60_000 });
  const row = page.getByRole("table", { name: "Models" }).getByRole("row", { name: /good/ }).first();
  await expect(row).toContainText("3 of 3 ready");
  await openPage(page, "Overview");
  await expect(page.getByRole("heading", { name: "Devices" })).toBeVisible();
  await expect(page.getByText("Add a first model")).toBeHidden();
  await openPage(page, "Audit trail");
  await expect(
    page.getByRole("row", {
      name: /Next stage of a roll-out started.*stage 1 of 3 \(1 device\) → running, stage 2 of 3 \(60%\)/,
    }),
  ).toBeVisible();
});

test("a roll-out stops by itself when a device gets a wrong file, before others begin", async ({ page }) => {
  test.slow();
  await signIn(page, farm);
  await openPage(page, "Models");
  await addInStages(page, "wrong", other);
  const panel = page.getByRole("region", { name: "Roll-out of wrong" });
  await expect(panel).toContainText("It stopped by itself: 1 of 1 devices failed.", { timeout: 90_000 });
  await panel.getByRole("button", { name: "Show devices" }).click();
  const failed = panel.getByRole("list", { name: "Devices that failed" });
  await expect(failed.getByRole("listitem")).toHaveCount(1);
  await expect(failed).toContainText("The downloaded file is not the one in the catalog");
  await expect(panel.getByRole("listitem").nth(1)).toContainText("1 not asked yet");
  await panel.getByRole("button", { name: "Roll back: wrong" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("Retire it to refuse them.");
  await dialog.getByRole("button", { name: "Roll back" }).click();
  await expect(panel).toContainText("No device has the model.");

  const row = page.getByRole("table", { name: "Models" }).getByRole("row", { name: /wrong/ }).first();
  await chooseInRow(page, "wrong", "Retire");
  await dialog.getByRole("button", { name: "Retire" }).click();
  await expect(row).toContainText("Retired");
  await page.getByRole("button", { name: "Undo", exact: true }).last().click();
  await expect(row).not.toContainText("Retired");
});

/** A donor with one thread that downloads from the local hub. */
function donorEnv(): NodeJS.ProcessEnv {
  return { GLEANER_THREADS: "1", ...hub.env };
}
