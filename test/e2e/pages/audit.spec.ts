import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import type { Page } from "@playwright/test";
import { ConvexHttpClient } from "convex/browser";
import { api } from "../../../convex/_generated/api.js";
import type { Farm } from "../../../launch/farm/farm.ts";
import { makeSecret } from "../../../launch/organization/secrets.ts";
import { sha256 } from "../../../renderer/console/secrets/sha256.ts";
import { openPage, signIn } from "../support/console.ts";
import { expect, test } from "../support/farm-test.ts";

const trailOf = (page: Page) => page.getByRole("table", { name: "Audit trail" });

/** A member with the role of a donor, and their session. */
async function addDonor(farm: Farm, name: string): Promise<string> {
  const client = new ConvexHttpClient(farm.backend.url, { logger: false });
  const signInToken = await farm.setup.makeSignInToken(farm.organization.organizationId);
  const [owner, donor, token] = [makeSecret("gs_"), makeSecret("gs_"), makeSecret("gi_")];
  await client.mutation(api.console.account.signIn, { token: signInToken, session: owner });
  const invitee = { name, roles: ["donor" as const], tokenHash: sha256(token) };
  await client.mutation(api.console.people.invite, { session: owner, ...invitee });
  await client.mutation(api.console.account.acceptInvite, { token, session: donor, name });
  return donor;
}

test("the audit trail names the session and address, and its filters are in the address", async ({
  farm,
  page,
}) => {
  await signIn(page, farm);
  await openPage(page, "Audit trail");
  const trail = trailOf(page);
  const signedIn = trail.getByRole("row", { name: /Member signed in/ }).first();
  await expect(signedIn).toContainText("One-time link");
  await expect(signedIn).toContainText("127.0.0.1");
  await signedIn.locator("time").hover();
  await expect(page.getByRole("tooltip")).toContainText(/20\d\d/);
  await page.getByLabel("Action").selectOption("server");
  await expect(trail.getByRole("row", { name: /Organization created/ })).toBeVisible();
  await expect(trail.getByRole("row", { name: /Member signed in/ })).toHaveCount(0);
  expect(page.url()).toContain("action=server");
  await page.reload();
  await expect(page.getByLabel("Action")).toHaveValue("server");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await signedIn.getByRole("button", { name: "Owner" }).first().click();
  await expect(page.getByLabel("Person")).not.toHaveValue("");
  await expect(trail.getByRole("row", { name: /Organization created/ })).toHaveCount(0);
  await page.getByLabel("To", { exact: true }).fill("2020-01-01");
  await expect(page.getByText("No entries fit")).toBeVisible();
});

test("refused acts and acts with the admin key are in the audit trail", async ({ farm, page }) => {
  const session = await addDonor(farm, "Dona Refused");
  const client = new ConvexHttpClient(farm.backend.url, { logger: false });
  const answer: unknown = await client.mutation(api.console.people.createTeam, { session, name: "Mine" });
  expect(answer).toMatchObject({ refused: { code: "forbidden" } });
  const changed = await fetch(`${farm.backend.url}/api/update_environment_variables`, {
    method: "POST",
    headers: { Authorization: `Convex ${farm.backend.adminKey}`, "Content-Type": "application/json" },
    body: JSON.stringify({ changes: [{ name: "AUDITED_COLOR", value: "hidden green" }] }),
  });
  expect(changed.status).toBe(200);

  await signIn(page, farm);
  await openPage(page, "Audit trail");
  const trail = trailOf(page);
  await page.getByLabel("Action").selectOption("refusals");
  const refused = trail.getByRole("row", { name: /Act of a member refused/ });
  await expect(refused).toContainText("Dona Refused");
  await expect(refused).toContainText("Create a team");
  await page.getByLabel("Action").selectOption("deployment.variables-changed");
  const variables = trail.getByRole("row", { name: /AUDITED_COLOR/ });
  await expect(variables).toContainText("Server setup");
  await expect(page.getByText("hidden green")).toHaveCount(0);
});

test("the audit trail is exported as JSON lines and CSV", async ({ farm, page }) => {
  await signIn(page, farm);
  await openPage(page, "Audit trail");
  await expect(trailOf(page)).toBeVisible();
  const texts: string[] = [];
  for (const name of ["Export JSON lines", "Export CSV"]) {
    const wait = page.waitForEvent("download");
    await page.getByRole("button", { name }).click();
    texts.push(await readFile(await (await wait).path(), "utf8"));
    await expect(page.getByRole("status").filter({ hasText: /^Exported \d+ entries/ })).toBeVisible();
  }
  const [lines = "", csv = ""] = texts;
  const rows = lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly action?: string });
  expect(rows.map(({ action }) => action)).toContain("member.signed-in");
  expect(csv).toContain("Member signed in");
});

test("the chain is checked in words, and `gleaner audit verify` finds a changed entry in an export", async ({
  farm,
  page,
}, info) => {
  // Entries are sealed once they are 30 seconds old, and once a minute.
  test.setTimeout(300_000);
  await signIn(page, farm);
  await openPage(page, "Audit trail");
  await expect(async () => {
    await page.getByRole("button", { name: "Check the chain" }).click();
    await expect(page.getByText(/The trail is unchanged: \d+ seals? fits?/)).toBeVisible({ timeout: 5_000 });
  }).toPass({ timeout: 200_000 });
  const wait = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export JSON lines" }).click();
  const exported = await readFile(await (await wait).path(), "utf8");
  const verify = async (text: string): Promise<string> => {
    const file = info.outputPath("trail.jsonl");
    await writeFile(file, text);
    return await new Promise((resolve) => {
      execFile(process.execPath, ["cli/gleaner.ts", "audit", "verify", file], (error, stdout, stderr) =>
        resolve(error === null ? stdout : `failed: ${stdout} ${stderr}`),
      );
    });
  };
  expect(await verify(exported)).toMatch(/^\d+ seals? fits? \d+ entr/);
  const changed = exported.replace('"action":"organization.created"', '"action":"organization.changed"');
  expect(changed).not.toBe(exported);
  expect(await verify(changed)).toContain("Seal 1 does not fit. A row was changed.");
});

test("`gleaner audit export` writes the trail and names itself in it", async ({ farm }, info) => {
  const [keyFile, first, second] = ["admin-key", "first.jsonl", "second.jsonl"].map((name) =>
    info.outputPath(name),
  );
  await writeFile(keyFile!, farm.backend.adminKey);
  const run = promisify(execFile);
  for (const file of [first!, second!]) {
    const where = ["--url", farm.backend.url, "--admin-key-file", keyFile!];
    await run(process.execPath, ["cli/gleaner.ts", "audit", "export", file, ...where]);
  }
  expect(await readFile(first!, "utf8")).toContain('"action":"organization.created"');
  expect(await readFile(second!, "utf8")).toContain('"subject":"setup:auditRows"');
});
