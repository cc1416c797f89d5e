import { ConvexHttpClient } from "convex/browser";
import { api } from "../../../convex/_generated/api.js";
import { type Mailbox, startMailbox } from "../../../convex/testing/mailbox.fixture.ts";
import { makeSecret } from "../../../launch/organization/secrets.ts";
import { openPage, signIn } from "../support/console.ts";
import { expect, test } from "../support/farm-test.ts";

test.use({ farmName: "alert-mails" });

const email = "olga@example.org";

let mailbox: Mailbox;

test.beforeAll(async () => {
  mailbox = await startMailbox();
});

test.afterAll(async () => {
  await mailbox.close();
});

test("alerts are mailed to a chosen member, who ends them with a link", async ({ farm, page, browser }) => {
  const client = new ConvexHttpClient(farm.backend.url, { logger: false });
  const token = await farm.setup.makeSignInToken(farm.organization.organizationId);
  const session = makeSecret("gs_");
  await client.mutation(api.console.account.signIn, { token, session });
  await client.mutation(api.console.account.change, { session, email });
  const setServer = async (port: number): Promise<void> => {
    const settings = { host: "127.0.0.1", port, security: "none" as const, user: "", from: "g@example.org" };
    await client.action(api.console.access.mail.save, { session, settings });
  };

  await signIn(page, farm);
  await openPage(page, "Alerts");
  const card = page.getByRole("region", { name: "Mails", exact: true });
  await expect(card.getByText("There is no mail server, so nothing is mailed.")).toBeVisible();
  await card.getByRole("link", { name: "Set a mail server" }).click();
  await expect(page.getByRole("region", { name: "Mail", exact: true })).toBeVisible();
  await setServer(mailbox.port);
  await openPage(page, "Alerts");
  await card.getByRole("button", { name: "Add recipient" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Member").selectOption({ label: `Owner (${email})` });
  await dialog.getByRole("button", { name: "Add" }).click();
  await expect(dialog).toHaveCount(0);

  const row = card.getByRole("row", { name: new RegExp(email) });
  await row.getByRole("button", { name: `Send a test to ${email}` }).click();
  await expect(row.getByText("Sent")).toBeVisible();
  const { to, text } = mailbox.mails.at(-1)!;
  expect(to).toEqual([email]);
  expect(text).toContain("This is a test of Gleaner's alerts. Nothing is wrong.");

  await setServer(1);
  await row.getByRole("button", { name: `Send a test to ${email}` }).click();
  await expect(row.getByText(/ECONNREFUSED/)).toBeVisible();

  const theirs = await (await browser.newContext()).newPage();
  await theirs.goto(/http\S+\/alerts\/end\?token=\S+/.exec(text)![0]);
  await theirs.getByRole("button", { name: "End these mails" }).click();
  await expect(theirs.getByRole("heading", { name: "You get no more alerts by mail" })).toBeVisible();
  await expect(card.getByText("Nobody gets mails yet")).toBeVisible();
});
