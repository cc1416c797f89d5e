import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "@playwright/test";
import { openPage, signIn } from "../support/console.ts";
import { askFor, expect, test, tokensLasting } from "../support/farm-test.ts";
import { chooseInRow } from "../support/row-menu.ts";

const question = "What is the capital of Greece?";

/** The secret in the open dialog, which is then closed. */
async function takeSecret(page: Page): Promise<string> {
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("sk-gleaner-");
  const secret = /sk-gleaner-[\w-]{20,}/.exec(await dialog.innerText())?.[0] ?? "";
  await page.getByRole("button", { name: "Done" }).click();
  return secret;
}

test("a key can have bounds from its creation, and shows them and its use", async ({ farm, page }) => {
  const donor = await farm.startDonor("keys-1");
  await signIn(page, farm);
  await openPage(page, "API keys");
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByLabel("Name").fill("Trial");
  await page.getByText("Expiry, models, quotas and other bounds").click();
  await page.getByLabel("Expires").selectOption("In 30 days");
  await page.getByLabel("Batches and files").uncheck();
  await page.getByLabel("Models", { exact: true }).selectOption("Only some");
  await expect(page.getByRole("button", { name: "Create key" })).toBeDisabled();
  await page.getByRole("checkbox", { name: "gleaner-demo" }).check();
  const day = page.getByRole("group", { name: "Quota of a day (UTC)" });
  await day.getByLabel("Requests").fill("1");
  await page.getByLabel("Jobs at once").fill("3");
  await page.getByLabel("Addresses").fill("office");
  await expect(page.getByText("“office” is no IP address")).toBeVisible();
  await page.getByLabel("Addresses").fill("127.0.0.1\n::1");
  await page.getByRole("button", { name: "Create key" }).click();
  const secret = await takeSecret(page);

  const keys = page.getByRole("table", { name: "API keys" });
  await expect(keys).toContainText("Only: Ask models, Jobs, Usage");
  await expect(keys).toContainText("Only gleaner-demo · Only from 127.0.0.1, ::1 · 0 of 1 requests today");
  const row = page.getByRole("row", { name: /Trial/ });
  await expect(row).toContainText("Never used");
  await expect(row.getByRole("cell", { name: "3", exact: true })).toBeVisible();
  expect(await askFor(farm, question, secret)).toContain("Athens");
  await expect(row).toContainText("Used");
  await expect(askFor(farm, question, secret)).rejects.toThrow(/429.*quota of 1 request a day/);
  await donor.stop();
});

test("an administrator changes what a key may do, and undoes it", async ({ farm, page }) => {
  const donor = await farm.startDonor("keys-2");
  await signIn(page, farm);
  await openPage(page, "API keys");
  const keys = page.getByRole("table", { name: "API keys" });
  await chooseInRow(page, "First requester", "Edit access");
  await page.getByLabel("Ask models").uncheck();
  await page.getByLabel("Expires").selectOption("In 30 days");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(keys).toContainText("Only: Batches and files, Jobs, Usage");
  await expect(askFor(farm, question)).rejects.toThrow(/403.*lacks the scope “inference”/);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(keys).not.toContainText("Only: Batches and files, Jobs, Usage");
  expect(await askFor(farm, question)).toContain("Athens");
  await chooseInRow(page, "First requester", "Edit access");
  await expect(page.getByLabel("Expires")).toHaveValue("never");
  await donor.stop();
});

test("an administrator gives a key credits, takes some back, and undoes it", async ({ farm, page }) => {
  await signIn(page, farm);
  await openPage(page, "API keys");
  await expect(page.getByRole("table", { name: "API keys" })).toContainText("First requester");
  const left = page.getByRole("row", { name: /First requester/ }).getByTitle(/^[\d,.]+ credits$/);
  const before = (await left.getAttribute("title")) ?? "";
  const credits = Number(before.replace(/[^\d.]/g, ""));
  const shows = (amount: number) =>
    expect(left).toHaveAttribute(
      "title",
      `${amount.toLocaleString("en", { maximumFractionDigits: 6 })} credits`,
    );
  await chooseInRow(page, "First requester", "Change credits");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Credits").fill("250");
  await expect(dialog.getByRole("button", { name: "Save" })).toBeDisabled();
  await dialog.getByLabel("Reason").fill("The course of June");
  await dialog.getByRole("button", { name: "Save" }).click();
  await shows(credits + 250);
  await chooseInRow(page, "First requester", "Change credits");
  await dialog.getByLabel("Change").selectOption("Take credits back");
  await dialog.getByLabel("Credits").fill("999999");
  await expect(dialog).toContainText("That is more than what is left.");
  await dialog.getByLabel("Credits").fill("50");
  await dialog.getByLabel("Reason").fill("Too many");
  await dialog.getByRole("button", { name: "Save" }).click();
  await shows(credits + 200);
  await page.getByRole("button", { name: "Undo" }).last().click();
  await shows(credits + 250);
  await openPage(page, "Audit trail");
  await expect(
    page.getByRole("row", { name: /API key credits changed.*250 given: The course of June/ }),
  ).toBeVisible();
});

test("a key gets a new secret, while the former one works until it is ended", async ({ farm, page }) => {
  const donor = await farm.startDonor("keys-3");
  await signIn(page, farm);
  await openPage(page, "API keys");
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByLabel("Name").fill("Rotated");
  await page.getByRole("button", { name: "Create key" }).click();
  const first = await takeSecret(page);
  await chooseInRow(page, "Rotated", "New secret");
  await expect(page.getByLabel("The present secret goes on working")).toHaveValue(String(24 * 3_600_000));
  await page.getByRole("button", { name: "Make a new secret" }).click();
  const second = await takeSecret(page);
  expect(second).not.toBe(first);
  for (const secret of [first, second]) expect(await askFor(farm, question, secret)).toContain("Athens");
  const keys = page.getByRole("table", { name: "API keys" });
  await expect(keys).toContainText(`The former secret ${first.slice(0, 14)}`);
  await chooseInRow(page, "Rotated", "End the former secret");
  await expect(keys).not.toContainText("The former secret");
  await expect(askFor(farm, question, first)).rejects.toThrow(/401/);
  expect(await askFor(farm, question, second)).toContain("Athens");
  await donor.stop();
});

test("revoking a key stops the answer that a device writes for it", async ({
  slowFarm: farm,
  page,
  context,
}) => {
  const donor = await farm.startDonor("keys-4");
  await signIn(page, farm);
  await openPage(page, "API keys");
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByLabel("Name").fill("Stopped");
  await page.getByRole("button", { name: "Create key" }).click();
  const secret = await takeSecret(page);
  const panel = await context.newPage();
  await panel.goto(String(donor.ready["panelUrl"]));
  const tokens = await tokensLasting(farm, 60);
  const asked = askFor(farm, "Count.", secret, tokens).catch(String);
  await expect(panel.getByText("Writing the answer")).toBeVisible();
  await chooseInRow(page, "Stopped", "Revoke");
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  expect(await asked).toMatch(/401.*This API key was revoked/);
  await expect(panel.getByText("Waiting for your organization's next job.")).toBeVisible();
  await donor.stop();
});

/** A server with an empty page. Returns the page's origin, which is not that of the API. */
async function otherPage(): Promise<{ readonly origin: string; readonly close: () => Promise<void> }> {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html").end("<title>Chat</title>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, close: async () => await new Promise((resolve) => server.close(() => resolve())) };
}

test("an administrator lists the pages that may call the API, and undoes it", async ({ farm, page }) => {
  const { origin, close } = await otherPage();
  const visitor = await page.context().newPage();
  await visitor.goto(origin);
  /** Asks for the models in the visitor's browser, as a page of another server. */
  const models = async (): Promise<unknown> =>
    await visitor.evaluate(
      async ({ url, apiKey }) => {
        try {
          const response = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } });
          return [response.status, response.headers.get("x-ratelimit-limit-requests")];
        } catch (error) {
          return String(error);
        }
      },
      { url: `${farm.backend.siteUrl}/v1/models`, apiKey: farm.organization.apiKey },
    );
  await signIn(page, farm);
  await openPage(page, "API keys");
  await expect(page.getByText("In browsers only the console’s own pages may call the API.")).toBeVisible();
  expect(await models()).toContain("Failed to fetch");
  await page.getByRole("button", { name: "Change pages" }).click();
  await page.getByLabel("Origins").fill("chat.example.com");
  await expect(page.getByText("“chat.example.com” is no origin")).toBeVisible();
  await expect(page.getByRole("button", { name: "Preview" })).toBeDisabled();
  await page.getByLabel("Origins").fill(`https://other.example\n${origin}/`);
  await page.getByRole("button", { name: "Preview" }).click();
  await expect(page.getByRole("list", { name: "Changes" })).toContainText(
    "https://other.exampleNot allowed → Allowed",
  );
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText(`Pages of https://other.example, ${origin} may call`)).toBeVisible();
  expect(await models()).toEqual([200, expect.stringMatching(/^\d+$/)]);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("In browsers only the console’s own pages may call the API.")).toBeVisible();
  expect(await models()).toContain("Failed to fetch");
  await visitor.close();
  await close();
});
