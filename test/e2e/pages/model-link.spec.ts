import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import { type Farm, startFarm } from "../../../launch/farm/farm.ts";
import { openDevices, openPage, signIn } from "../support/console.ts";
import { expect, test } from "../support/farm-test.ts";
import { startHubProxy } from "../support/hub-proxy.ts";
import { makeSmallModel, startModelHub } from "../support/model-hub.ts";

const demo = new URL("../../../resources/demo-model/gleaner-demo-q8.gguf", import.meta.url);
let farm: Farm;
let donorEnv: NodeJS.ProcessEnv;
let close: () => Promise<void>;

test.beforeAll(async () => {
  const bytes = await readFile(demo);
  const proxy = await startHubProxy(
    new Map([
      ["Tiny-Q8_0", { bytes }],
      ["Huge-Q8_0", { bytes: makeSmallModel("Huge"), claims: 900_000_000_000 }],
      ["notes", { bytes: Buffer.from("These are notes, and no model.") }],
    ]),
  );
  const hub = await startModelHub(new Map([["Tiny-Q8_0", bytes]]));
  farm = await startFarm({ console: true, backendEnv: proxy.env });
  donorEnv = hub.env;
  close = async () => {
    await farm.close();
    await proxy.close();
    hub.close();
  };
});

test.afterAll(async () => {
  await close();
});

/** @param device whose memory has to be known first. */
async function openDialog(page: Page, device?: string): Promise<Locator> {
  await signIn(page, farm);
  if (device !== undefined) {
    await openDevices(page, device);
    await expect(page.getByRole("row", { name: new RegExp(device) }).first()).toContainText("Donating");
  }
  await openPage(page, "Models");
  await page.getByRole("button", { name: "Add model" }).click();
  return page.getByRole("dialog", { name: "Add a model" });
}

const linkIn = (dialog: Locator): Locator => dialog.getByLabel("Link to a GGUF file or its repository");

test("an administrator adds a model from a link, and a device gets it", async ({ page }) => {
  const bytes = await readFile(demo);
  const donor = await farm.startDonor("link-1", { env: donorEnv });
  const dialog = await openDialog(page, "link-1");
  await linkIn(dialog).fill("https://huggingface.co/acme/models/blob/main/Tiny-Q8_0.gguf");
  await dialog.getByRole("button", { name: "Read", exact: true }).click();
  const facts = dialog.getByRole("status").first();
  await expect(facts).toContainText("a context of 1,024 tokens and a chat template.");
  await expect(facts).toContainText("It needs about 500 MB of memory: 1 of 1 device could run it.");
  await expect(dialog.getByLabel("Name")).toHaveValue("tiny-q8_0");
  await expect(dialog.getByLabel("Source")).toHaveValue("hf:acme/models/Tiny-Q8_0.gguf");
  await expect(dialog.getByLabel("SHA-256")).toHaveValue(createHash("sha256").update(bytes).digest("hex"));
  await expect(dialog.getByLabel("Size")).toHaveValue(String(bytes.length));
  await expect(dialog.getByLabel("Context")).toHaveValue("1024");

  // The devices open beside the form.
  const opened = page.waitForEvent("popup");
  await dialog.getByRole("link", { name: "Show those that could (1)" }).click();
  const devices = await opened;
  await expect(devices.getByRole("list", { name: "More filters" })).toContainText("at least 0.5 GB for jobs");
  await expect(devices.getByRole("table", { name: "Devices" })).toContainText("link-1");
  await devices.close();

  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect(page.getByText("tiny-q8_0 was added.")).toBeVisible();
  const row = page.getByRole("table", { name: "Models" }).getByRole("row", { name: /tiny-q8_0/ });
  await expect(row).toContainText("1,024 tokens of context");
  await expect(row).toContainText("1 of 1 ready");
  await donor.stop();
});

test("a link that leads to no model is refused with its reason", async ({ page }) => {
  const dialog = await openDialog(page);
  for (const [link, why] of [
    ["acme/models/missing.gguf", "There is no such file."],
    ["acme/models/notes.gguf", "This is not a GGUF file."],
    [
      "https://models.example.org/x.gguf",
      "This server may not read models from models.example.org. Its operator can allow it: MODEL_HOSTS.",
    ],
  ] as const) {
    await linkIn(dialog).fill(link);
    await linkIn(dialog).press("Enter");
    await expect(dialog.getByRole("alert")).toHaveText(why);
    await expect(dialog.getByLabel("Name")).toHaveValue("");
  }
  await linkIn(dialog).fill("no link");
  await linkIn(dialog).press("Enter");
  await expect(page.getByText(/^Enter a link to a GGUF file or to its repository/)).toBeVisible();
});

test("a model that no device could run shows the devices that lack the memory", async ({ page }) => {
  const donor = await farm.startDonor("link-2");
  const dialog = await openDialog(page, "link-2");
  await linkIn(dialog).fill("hf:acme/models/Huge-Q8_0.gguf");
  await linkIn(dialog).press("Enter");
  await expect(dialog.getByRole("status").first()).toContainText(/ 0 of \d devices? could run it\./);
  await expect(dialog.getByLabel("License")).toHaveValue("apache-2.0");
  await expect(dialog.getByRole("link", { name: /^Show those that could/ })).toHaveCount(0);
  const opened = page.waitForEvent("popup");
  await dialog.getByRole("link", { name: /^Show the others/ }).click();
  const devices = await opened;
  await expect(devices.getByRole("list", { name: "More filters" })).toContainText(
    "less than 900.5 GB for jobs",
  );
  await expect(devices.getByRole("table", { name: "Devices" })).toContainText("link-2");
  await donor.stop();
});
