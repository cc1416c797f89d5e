import { describe, expect, test } from "vitest";
import { responseNames } from "../../packages/embedded/fixtures/test-app/exhausting.ts";
import { api, modules } from "../../packages/embedded/test-app.fixture.ts";
import { deployment, httpClient, isEmbedded, uniqueName } from "./deployment.ts";
import { saying } from "./expectations.ts";

const { exhausting } = modules;

async function expectUnharmed(): Promise<void> {
  const channel = uniqueName();
  await httpClient().mutation(api.messages.send, { channel, body: "fine" });
  expect(await httpClient().query(api.messages.list, { channel })).toEqual(["fine"]);
}

test("cryptography takes no thread that commits need", async () => {
  let ended = 0;
  const derived = Array.from({ length: 4 }, async () => {
    await httpClient().action(exhausting.derives, { rounds: 2 ** 21, times: 2 });
    ended += 1;
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  await expectUnharmed();
  expect(ended).toBe(0);
  await Promise.all(derived);
});

// On Convex they would take their whole time.
describe.skipIf(!isEmbedded)("what nothing can end is not begun", () => {
  test("cryptography that takes hours", async () => {
    const derived = httpClient().action(exhausting.derives, { rounds: 2 ** 31 - 1, times: 8 });
    await expect(derived).rejects.toThrow(saying(/timed out/));
    await expect(httpClient().action(exhausting.makesLongKey, {})).rejects.toThrow(saying(/timed out/));
    await expectUnharmed();
  });

  test("an action that calls itself without end", async () => {
    await expect(httpClient().action(exhausting.callsItself, {})).rejects.toThrow(
      saying(/Too many actions that were called by actions/),
    );
    await expectUnharmed();
  });
});

test.each(responseNames)("an HTTP action's response runs no code outside it: %s", async (name) => {
  const url = `${deployment.siteUrl}/endless-answer?name=${encodeURIComponent(name)}`;
  await fetch(url, { signal: AbortSignal.timeout(5_000) })
    .then((response) => response.text())
    .catch(() => null);
  await expectUnharmed();
});
