import { readFile } from "node:fs/promises";
import { openPage, signIn } from "../support/console.ts";
import { expect, test } from "../support/farm-test.ts";

test("the audit trail names the session and address, and its filters are in the address", async ({
  farm,
  page,
}) => {
  await signIn(page, farm);
  await openPage(page, "Audit trail");
  const trail = page.getByRole("table", { name: "Audit trail" });
  const signedIn = trail.getByRole("row", { name: /Member signed in/ }).first();
  await expect(signedIn).toContainText("One-time link");
  await expect(signedIn).toContainText("127.0.0.1");
  await page.getByLabel("About").selectOption("server");
  await expect(trail.getByRole("row", { name: /Organization created/ })).toBeVisible();
  await expect(trail.getByRole("row", { name: /Member signed in/ })).toHaveCount(0);
  expect(page.url()).toContain("group=server");
  await page.reload();
  await expect(page.getByLabel("About")).toHaveValue("server");
  await page.getByLabel("Words").fill("nothing has these words");
  await expect(page.getByText("No entries fit")).toBeVisible();
});

test("the audit trail is exported", async ({ farm, page }) => {
  await signIn(page, farm);
  await openPage(page, "Audit trail");
  const wait = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export JSONL" }).click();
  const file = await (await wait).path();
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  const rows = lines.map((line) => JSON.parse(line) as { readonly action?: string });
  expect(rows.map(({ action }) => action)).toContain("member.signed-in");
});
