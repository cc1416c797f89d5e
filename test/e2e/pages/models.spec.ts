import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Farm } from "../../../launch/farm/farm.ts";
import { chooseEntry, openPage, signIn } from "../support/console.ts";
import { askFor, expect, test } from "../support/farm-test.ts";
import { chooseInRow } from "../support/row-menu.ts";

const question = "What is the capital of Greece?";

/** Calls the API with the farm's key. */
async function callApi(farm: Farm, path: string, init: RequestInit = {}): Promise<Response> {
  const authorization = `Bearer ${farm.organization.apiKey}`;
  // No device is there, so only calls that do not wait are accepted.
  const prefer = "respond-async";
  const headers = { "content-type": "application/json", authorization, prefer, "gleaner-expires-in": "10" };
  return await fetch(`${farm.backend.siteUrl}/v1/${path}`, { ...init, headers });
}

test("an administrator adds, edits, retires and reinstates a model", async ({ farm, page }) => {
  await signIn(page, farm);
  await openPage(page, "Models");
  await page.getByRole("button", { name: "Add model" }).click();
  const dialog = page.getByRole("dialog");
  const entry = {
    modelId: "qwen3-4b",
    source: "hf:Qwen/Qwen3-4B-GGUF/Qwen3-4B-Q4_K_M.gguf",
    sha256: "ab".repeat(32),
    sizeBytes: 8 * 2 ** 20,
    licence: "Apache-2.0",
    contextTokens: 32_768,
    pieces: { pieceBytes: 4 * 2 ** 20, pieceHashes: ["cd".repeat(32), "ef".repeat(32)] },
  };
  await chooseEntry(dialog, {});
  await expect(dialog.getByRole("alert")).toHaveText(
    "This is not a model entry: its “modelId” is missing or wrong.",
  );
  await chooseEntry(dialog, entry);
  await expect(dialog.getByRole("status").first()).toHaveText(
    "The entry of qwen3-4b, 8.4 MB, with the hashes of 2 pieces. Devices on one network can share them.",
  );
  await dialog.getByLabel("Source").fill("ftp://models");
  await dialog.getByRole("button", { name: "Add" }).click();
  await expect(dialog.getByRole("alert")).toContainText("hf:user/repository/file.gguf");
  await dialog.getByLabel("Source").fill(entry.source);
  await dialog.getByLabel("Source").press("Enter");
  await expect(page.getByText("qwen3-4b was added.")).toBeVisible();

  const row = page.getByRole("table", { name: "Models" }).getByRole("row", { name: /qwen3-4b/ });
  await expect(row).toContainText("2 pieces");
  await chooseInRow(page, "qwen3-4b", "Edit");
  await dialog.getByLabel("Answer").fill("250");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(row).toContainText("250 out");

  await page.getByRole("button", { name: "Add model" }).click();
  await chooseEntry(dialog, entry);
  await dialog.getByRole("button", { name: "Add" }).click();
  await expect(page.getByText(/A model called qwen3-4b exists already/)).toBeVisible();
  await expect(dialog.getByLabel("Name")).toHaveValue("qwen3-4b");
  await page.keyboard.press("Escape");

  await chooseInRow(page, "qwen3-4b", "Retire");
  await dialog.getByRole("button", { name: "Retire" }).click();
  await expect(row).toContainText("Retired");
  await page.getByRole("button", { name: "Undo" }).last().click();
  await expect(row).not.toContainText("Retired");
  await chooseInRow(page, "qwen3-4b", "Retire");
  await dialog.getByRole("button", { name: "Retire" }).click();
  await expect(row).toContainText("Retired");
  await row.getByRole("button", { name: "Reinstate qwen3-4b" }).click();
  await expect(row).not.toContainText("Retired");
  await openPage(page, "Audit trail");
  await expect(
    page.getByRole("row", {
      name: /Model changed.*price per 1,000 tokens: 20 \+ 100 became 20 \+ 250/,
    }),
  ).toBeVisible();
});

test("an administrator describes a file of their own by the command, and pastes what it printed", async ({
  farm,
  page,
}) => {
  await signIn(page, farm);
  await openPage(page, "Models");
  await page.getByRole("button", { name: "Add model" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("tab", { name: "From your own file" }).click();
  const command = await dialog.getByText(/^npx gleaner entry/).innerText();
  const [, , ...args] = command
    .replace("model.gguf", "resources/demo-model/gleaner-demo-q8.gguf")
    .split(/\s+/);
  const { stdout } = await promisify(execFile)(process.execPath, ["cli/gleaner.ts", ...args], {
    cwd: join(import.meta.dirname, "../../.."),
  });
  const pasted = dialog.getByLabel("Paste what it printed");
  await pasted.fill(stdout.slice(0, 200));
  await expect(dialog.getByRole("alert")).toHaveText(
    "This is not what the command prints. Take all of it, from { to }.",
  );
  await pasted.fill(stdout);
  await expect(dialog.getByRole("status").first()).toContainText("The entry of gleaner-demo-q8,");
  await expect(dialog.getByText("It needs about 500 MB of memory.")).toBeVisible();
  const fits = dialog.getByRole("link", { name: "Show those that could" });
  await expect(fits).toHaveAttribute("href", /devices\?fits=0\.5$/);
  await expect(dialog.getByRole("link", { name: "Show the others" })).toBeVisible();
  await expect(dialog.getByLabel("Source")).toHaveValue("https://models.example.org/model.gguf");
  await expect(dialog.getByLabel("Context")).toHaveValue("1024");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect(page.getByText("gleaner-demo-q8 was added.")).toBeVisible();
  await expect(
    page.getByRole("table", { name: "Models" }).getByRole("row", { name: /gleaner-demo-q8/ }),
  ).toContainText("1 piece");
});

test("an alias is added, shown with its users, removed, and put back", async ({ farm, page }) => {
  const statusOf = async (name: string): Promise<number> => (await callApi(farm, `models/${name}`)).status;
  await signIn(page, farm);
  await openPage(page, "Models");
  await page.getByRole("button", { name: "Add alias" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Alias").fill("gleaner-demo");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText(/A model is called gleaner-demo already/)).toBeVisible();
  await dialog.getByLabel("Alias").fill("gpt-4o-mini");
  await dialog.getByLabel("Stands for").selectOption("gleaner-demo");
  await dialog.getByLabel("Alias").press("Enter");
  await expect(page.getByText("gpt-4o-mini stands for gleaner-demo now.")).toBeVisible();
  const row = page.getByRole("table", { name: "Aliases" }).getByRole("row", { name: /gpt-4o-mini/ });
  await expect(row).toContainText("gleaner-demo");
  expect(await statusOf("gpt-4o-mini")).toBe(200);

  await row.getByRole("button", { name: "Remove gpt-4o-mini" }).click();
  await expect(dialog).toContainText("No API key has used it.");
  // Its users appear at once. Nobody needs the answer.
  const messages = [{ role: "user", content: question }];
  const body = JSON.stringify({ model: "gpt-4o-mini", messages });
  await callApi(farm, "chat/completions", { method: "POST", body });
  await expect(dialog.getByRole("list", { name: "API keys" })).toContainText(/used it last/);
  await dialog.getByRole("button", { name: "Remove" }).click();
  await expect(row).toBeHidden();
  expect(await statusOf("gpt-4o-mini")).toBe(404);
  await page.getByRole("button", { name: "Undo" }).last().click();
  await expect(row).toContainText("gleaner-demo");
  expect(await statusOf("gpt-4o-mini")).toBe(200);

  expect(await statusOf("default")).toBe(404);
  await page.getByRole("button", { name: "Set default model" }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("default stands for gleaner-demo now.")).toBeVisible();
  expect(await statusOf("default")).toBe(200);
  await openPage(page, "Audit trail");
  await expect(page.getByRole("row", { name: /Alias of a model removed.*gpt-4o-mini/ })).toBeVisible();
});

test("the catalog shows a model's state on each device, and a retired model is refused", async ({
  farm,
  page,
}) => {
  const donor = await farm.startDonor("models-1");
  await signIn(page, farm);
  await openPage(page, "Models");
  const row = page
    .getByRole("table", { name: "Models" })
    .getByRole("row", { name: /gleaner-demo/ })
    .first();
  await expect(row).toContainText(/\d+ of \d+ ready/);
  await row.getByRole("button", { name: "Devices with gleaner-demo" }).press("Enter");
  const device = page
    .getByRole("table", { name: "Devices with gleaner-demo" })
    .getByRole("row", { name: /models-1/ });
  await expect(device).toContainText("Ready");
  // The address leads to the devices of this model.
  await expect(page).toHaveURL(/#\/models\?model=gleaner-demo$/);
  await page.reload();
  await expect(device).toContainText("Ready");
  expect(await askFor(farm, question)).toContain("Athens");

  await chooseInRow(page, "gleaner-demo", "Retire");
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("definition")).toHaveText([
    "None",
    "None",
    /^(Yes|No)/,
    /./,
    /^\d+: they may delete the file$/,
  ]);
  await dialog.getByRole("button", { name: "Retire" }).click();
  await expect(row).toContainText("Retired");
  await expect(askFor(farm, question)).rejects.toThrow(/404/);
  await row.getByRole("button", { name: "Reinstate gleaner-demo" }).click();
  await expect(row).not.toContainText("Retired");
  expect(await askFor(farm, question)).toContain("Athens");
  await donor.stop();
});
