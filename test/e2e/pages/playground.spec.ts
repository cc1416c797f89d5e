import type { Page } from "@playwright/test";
import { openPage, signIn } from "../support/console.ts";
import { askFor, expect, test } from "../support/farm-test.ts";

const question = "What is the capital of Greece?";

const figure = (page: Page, model: string, label: string) =>
  page
    .getByLabel(`Measures of ${model}`)
    .locator("div")
    .filter({ has: page.getByText(label, { exact: true }) })
    .getByRole("definition");

test("a member chats with a model, and sees how the answer came about", async ({ farm, page }) => {
  const donor = await farm.startDonor("playground-1");
  await askFor(farm, question);
  await signIn(page, farm);
  await openPage(page, "Playground");
  await expect(page.getByText("You may spend 100,000 cr in 24 hours here.")).toBeVisible();
  await page.getByLabel("Message").fill(question);
  await page.getByLabel("Temperature").fill("0");
  await page.getByLabel("Max tokens").fill("64");
  await page.getByLabel("Message").press("Control+Enter");
  const log = page.getByRole("log", { name: "Answers of gleaner-demo" });
  await expect(log).toContainText("Athens");
  await expect(log).toContainText(question);
  await expect(figure(page, "gleaner-demo", "Waited")).toHaveText(/^[\d.]+ m?s$/);
  await expect(figure(page, "gleaner-demo", "First token")).toHaveText(/^[\d,.]+ m?s$/);
  await expect(figure(page, "gleaner-demo", "Speed")).toHaveText(/^[\d,]+ tokens\/s$/);
  await expect(figure(page, "gleaner-demo", "Tokens")).toHaveText(/^\d+ in, \d+ out$/);
  await expect(figure(page, "gleaner-demo", "Cost")).toHaveText(/^[\d.]+ m?cr$/);
  await expect(figure(page, "gleaner-demo", "Device")).toHaveText(/^Linux/);
  await expect(page.getByLabel("Measures of gleaner-demo")).not.toContainText("playground-1");
  await expect(page.getByText(/^[\d.,]+ cr of 100,000 cr left for 24 hours\.$/)).toBeVisible();

  await page.getByLabel("Message").fill("What is the capital of France?");
  await page.getByRole("button", { name: "Run" }).click();
  await expect(log).toContainText("Paris");
  await expect(log).toContainText("Athens");
  await page.getByRole("button", { name: "New conversation" }).click();
  await expect(log).toHaveText("Answers appear here.");

  await openPage(page, "API keys");
  const key = page.getByRole("table", { name: "API keys" }).getByRole("row", { name: /Playground/ });
  await expect(key).toContainText("Console");
  await donor.stop();
});

test("completions, embeddings, JSON of a schema and tools work, with the same call for programs", async ({
  farm,
  page,
}) => {
  const donor = await farm.startDonor("playground-2");
  await askFor(farm, question);
  await signIn(page, farm);
  await openPage(page, "Playground");
  const log = page.getByRole("log");
  await page.getByLabel("Message").fill("Return JSON with name and city: Anna Weber lives in Lyon.");
  await page.getByLabel("Temperature").fill("0");
  await page.getByLabel("Answer", { exact: true }).selectOption("JSON of a schema");
  await page.getByLabel("JSON schema").fill("{");
  await page.getByRole("button", { name: "Run" }).click();
  await expect(page.getByRole("alert")).toHaveText("Enter a JSON schema: an object.");
  await page
    .getByLabel("JSON schema")
    .fill(JSON.stringify({ type: "object", properties: { city: { enum: ["Lyon"] } }, required: ["city"] }));
  const shown = page.getByRole("tabpanel");
  await expect(shown).toContainText(`"response_format":{"type":"json_schema"`);
  await page.getByRole("tab", { name: "Python" }).click();
  await expect(shown).toContainText("stream=True");
  await page.getByRole("tab", { name: "TypeScript" }).click();
  await expect(shown).toContainText("process.env.GLEANER_KEY");
  await page.getByRole("button", { name: "Run" }).click();
  await expect(log).toContainText(/\{\s*"city":\s*"Lyon"/);

  await page.getByLabel("Answer", { exact: true }).selectOption("Text or tool calls");
  const tool = { type: "function", function: { name: "get_weather", parameters: { type: "object" } } };
  await page.getByLabel("Tools").fill(JSON.stringify([tool]));
  await page.getByLabel("Message").fill("How is the weather?");
  await page.getByLabel("Max tokens").fill("40");
  await page.getByRole("button", { name: "Run" }).click();
  await expect(figure(page, "gleaner-demo", "Cost")).toHaveText(/^[\d.]+ m?cr$/);
  await expect(log.getByRole("alert")).toHaveCount(0);

  await page.getByLabel("Kind").selectOption("Completion");
  await page.getByLabel("Prompt").fill("The capital of");
  await page.getByRole("switch", { name: "Stream the answer" }).click();
  await page.getByRole("button", { name: "Run" }).click();
  await expect(figure(page, "gleaner-demo", "Tokens")).toHaveText(/^\d+ in, [1-9]\d* out$/);
  await expect(page.getByRole("tabpanel")).toContainText("client.completions.create(");

  await page.getByLabel("Kind").selectOption("Embeddings");
  await page.getByLabel("Texts, one a line").fill("one\ntwo");
  await page.getByRole("button", { name: "Run" }).click();
  await expect(log.getByLabel("Vectors")).toContainText(/^2 × \d+ numbers/);
  await donor.stop();
});

test("two models answer side by side, and a stop cancels the job", async ({ slowFarm: farm, page }) => {
  const donor = await farm.startDonor("playground-3");
  await askFor(farm, question, farm.organization.apiKey, 4);
  await signIn(page, farm);
  await openPage(page, "Jobs");
  await expect(page.getByRole("row").filter({ hasText: "playground-3" }).first()).toBeVisible();
  const canceled = page.getByRole("row").filter({ hasText: "Canceled" });
  const before = await canceled.count();
  await openPage(page, "Playground");
  await page.getByLabel("Compare with").selectOption("slow-random");
  await page.getByLabel("Message").fill("Tell me a story");
  await page.getByLabel("Max tokens").fill("1500");
  // At the usual temperature a model of random weights may end its answer at any token.
  await page.getByLabel("Temperature").fill("0.3");
  await page.getByRole("button", { name: "Run" }).click();
  const logs = page.getByRole("log");
  await expect(logs).toHaveCount(2);
  // The device answers one after the other, and either may come first.
  await expect(logs.filter({ hasText: "Writing…" }).first()).toBeVisible();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  for (const log of await logs.all()) await expect(log).toContainText("Stopped.");
  await expect(page.getByRole("button", { name: "Run" })).toBeVisible();
  // The same click does not run the form again, which has no text by now.
  await expect(page.getByText("Enter a text.")).toBeHidden();
  await openPage(page, "Jobs");
  await expect(canceled).toHaveCount(before + 2);
  await donor.stop();
});

test("a call that waits says why, also before the API has named its job", async ({ farm, page }) => {
  // An organization without any device refuses the call at once.
  const donor = await farm.startDonor("playground-4");
  await donor.stop();
  await signIn(page, farm);
  await openPage(page, "Playground");
  await page.getByRole("switch", { name: "Stream the answer" }).click();
  await page.getByLabel("Message").fill(question);
  await page.getByRole("button", { name: "Run" }).click();
  const log = page.getByRole("log", { name: "Answers of gleaner-demo" });
  // A device of the test before may still count as donating, or as busy.
  await expect(log).toContainText(
    /Waiting\. (No (device is donating|donating device has the model)|The devices that can run it are busy)\./,
  );
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(log).toContainText("Stopped.");
});

test("an administrator bounds the credits, and a member without any gets a sentence", async ({
  farm,
  page,
}) => {
  await signIn(page, farm);
  await openPage(page, "Playground");
  await page.getByRole("button", { name: "Change credits" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Credits of each member").fill("lots");
  await expect(dialog.getByRole("button", { name: "Save" })).toBeDisabled();
  await dialog.getByLabel("Credits of each member").fill("0");
  await dialog.getByLabel("Credits of each member").press("Enter");
  await expect(page.getByText("The credits of the playground were saved.")).toBeVisible();
  await page.getByLabel("Message").fill(question);
  await page.getByRole("button", { name: "Run" }).click();
  const refusal = page.getByRole("status").filter({ hasText: "an administrator gave it no credits" });
  await expect(refusal).toBeVisible();
  await expect(page.getByLabel("Message")).toHaveValue(question);
});
