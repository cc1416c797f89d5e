import { expect, test } from "vitest";
import { attacks, endless, greedy, ordinary } from "../../packages/embedded/fixtures/test-app/hostile.ts";
import { endlessPromises } from "../../packages/embedded/fixtures/test-app/hostilePromises.ts";
import { api, modules } from "../../packages/embedded/test-app.fixture.ts";
import { deployment, httpClient, uniqueName } from "./deployment.ts";
import { saying } from "./expectations.ts";

const { hostile } = modules;
const names = Object.keys(attacks);
const ways: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
  query: (name) => httpClient().query(hostile.inQuery, { name }),
  mutation: (name) => httpClient().mutation(hostile.inMutation, { name }),
  action: (name) => httpClient().action(hostile.inAction, { name }),
  "nested mutation": (name) => httpClient().mutation(hostile.inNestedMutation, { name }),
  "HTTP action": async (name) =>
    (await fetch(`${deployment.siteUrl}/hostile?name=${encodeURIComponent(name)}`)).text(),
};

/** Whatever the attack answers, functions have to answer as before. */
async function expectUnharmed(): Promise<void> {
  const channel = uniqueName();
  await httpClient().mutation(api.messages.send, { channel, body: "fine" });
  expect(await httpClient().query(api.messages.list, { channel })).toEqual(["fine"]);
  const hello = await fetch(`${deployment.siteUrl}/hello?name=you`);
  expect([hello.status, await hello.text()]).toEqual([200, "hello you"]);
}

test.each(Object.keys(ways).flatMap((way) => names.map((name) => [way, name] as const)))(
  "a %s cannot harm others: %s",
  async (way, name) => {
    await ways[way]?.(name).catch(() => null);
    await expectUnharmed();
  },
);

test("a component's function cannot harm others", async () => {
  let answered = 0;
  for (const name of names) {
    const call = httpClient().mutation(hostile.inComponent, { name });
    await call.then(
      () => (answered += 1),
      () => null,
    );
  }
  // Many attacks are no error of the function.
  expect(answered).toBeGreaterThan(20);
  await expectUnharmed();
});

test.each(["mutation", "action"] as const)("a scheduled %s cannot harm others", async (kind) => {
  const ids = await httpClient().mutation(hostile.schedules, { names, kind });
  await expect.poll(() => httpClient().query(hostile.unended, { ids })).toBe(0);
  await expectUnharmed();
});

test("there are more than 200 different attacks", () => {
  const all = new Set([
    ...names,
    ...Object.keys(endless),
    ...Object.keys(greedy),
    ...Object.keys(endlessPromises),
  ]);
  expect(all.size).toBeGreaterThan(200);
});

test.each(Object.keys(endless))("a query is ended in time, and others run meanwhile: %s", async (name) => {
  await Promise.all([
    expect(httpClient().query(hostile.inEndlessQuery, { name })).rejects.toThrow(saying(/timed out/)),
    expectUnharmed(),
  ]);
});

test.each(Object.keys(endlessPromises))(
  "promises without end are ended, and others run: %s",
  async (name) => {
    // Some fill the memory first.
    const ended = expect(httpClient().query(hostile.inEndlessPromises, { name })).rejects.toThrow(
      saying(/timed out|ran out of memory/),
    );
    await Promise.all([ended, expectUnharmed()]);
    await expectUnharmed();
  },
);

test.each(Object.keys(greedy).flatMap((name) => [[name, "query"] as const, [name, "action"] as const]))(
  "a function that needs too much memory at once fails, and others run: %s, in a %s",
  async (name, kind) => {
    const client = httpClient();
    const ended =
      kind === "query"
        ? client.query(hostile.inGreedyQuery, { name })
        : client.action(hostile.inGreedyAction, { name });
    // A list that grows step by step may also take the time of a query.
    await expect(ended).rejects.toThrow(saying(/ran out of memory|timed out/));
    await expectUnharmed();
  },
);

test.each(Object.keys(ordinary))("an action that is no attack is not ended: %s", async (name) => {
  expect(await httpClient().action(hostile.inOrdinaryAction, { name })).toBeGreaterThanOrEqual(1_000);
});

test.each(["file with another name in a form", "Blob in a Blob in a Blob", "copies of a Blob in a Blob"])(
  "a Blob may have only so many in each other: %s",
  async (name) => {
    await expect(httpClient().action(hostile.inAction, { name })).rejects.toThrow(
      saying(/Only 256 Blobs can be in each other|cannot be cloned/),
    );
    await expectUnharmed();
  },
);
