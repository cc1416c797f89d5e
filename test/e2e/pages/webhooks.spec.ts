import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openPage, signIn } from "../support/console.ts";
import { expect, test } from "../support/farm-test.ts";

test("an administrator adds a webhook, sees a failed delivery, sends it again and removes the webhook", async ({
  farm,
  page,
}) => {
  const bodies: string[] = [];
  let status = 410;
  const hook = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      bodies.push(body);
      response.writeHead(status).end("The words of the receiver.");
    });
  });
  hook.listen(0, "127.0.0.1");
  await once(hook, "listening");
  const url = `http://127.0.0.1:${String((hook.address() as AddressInfo).port)}/hook`;
  await signIn(page, farm);
  await openPage(page, "Webhooks");
  await expect(page.getByText("No webhooks yet")).toBeVisible();

  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Add webhook" }).click();
  await dialog.getByLabel("Name").fill("Nightly");
  await dialog.getByLabel("Address").fill("https://192.168.0.1/hook");
  await dialog.getByLabel("batch.completed").check();
  await dialog.getByLabel("job.failed").check();
  await dialog.getByRole("button", { name: "Add" }).click();
  await expect(page.getByText(/in a private network\. The server calls/)).toBeVisible();
  await dialog.getByLabel("Address").fill(url);
  await dialog.getByRole("button", { name: "Add" }).click();
  await expect(dialog.getByText(/^whsec_/)).toBeVisible();
  await dialog.getByRole("button", { name: "Done" }).click();

  await page.getByRole("button", { name: "Send a test to Nightly" }).click();
  await expect(page.getByRole("row", { name: /Nightly/ }).getByText("Disabled: it failed")).toBeVisible();
  expect(bodies[0]).toContain("This is a test of a webhook of Gleaner.");
  await page.getByRole("link", { name: "Nightly" }).click();
  await expect(page.getByText("batch.completed, job.failed")).toBeVisible();
  await expect(
    page.getByText("It was disabled, because its receiver answered that it is gone."),
  ).toBeVisible();

  status = 200;
  await page.getByRole("button", { name: "Enable", exact: true }).click();
  await expect(page.getByText("Delivering")).toBeVisible();
  const delivery = page.getByRole("row", { name: /evt_/ });
  await delivery.getByRole("button", { name: "Send again test" }).click();
  await expect.poll(() => bodies.length).toBeGreaterThan(1);
  await expect(delivery.getByText("Delivered")).toBeVisible();
  await delivery.getByRole("button", { name: "Show tries of test" }).click();
  await expect(page.getByText(/status 410/)).toBeVisible();
  await expect(page.getByText("The words of the receiver.").first()).toBeVisible();

  await page.getByRole("button", { name: "Replace the secret" }).click();
  await dialog.getByRole("button", { name: "Replace" }).click();
  await expect(dialog.getByText(/^whsec_/)).toBeVisible();
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(page.getByText("The earlier secret signs, too, until")).toBeVisible();

  await page.getByRole("button", { name: "Change", exact: true }).click();
  await dialog.getByLabel("Name").fill("Weekly");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { name: "Weekly" })).toBeVisible();
  await page.getByRole("link", { name: /← Webhooks/ }).click();
  await page.getByRole("button", { name: "More actions for Weekly" }).click();
  await page.getByRole("menuitem", { name: "Remove" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("No webhooks yet")).toBeVisible();
  hook.close();
});
