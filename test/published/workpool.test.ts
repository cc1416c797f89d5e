import { expect, test } from "vitest";
import { PublishedApp } from "./published-app.ts";

const app = new PublishedApp("workpool");
const sendAll = (batch: string, emails: readonly string[], more: object = {}) =>
  app.mutation("emails:sendAll", { batch, emails, ...more }) as Promise<string[]>;

test("a pool runs no more actions at once than it may, and reports each one's end", async () => {
  const emails = Array.from({ length: 12 }, (_, n) => `user${String(n).padStart(2, "0")}@example.com`);
  const ids = await sendAll("welcome", emails);
  const states = app.watch("emails:states", { ids }) as readonly string[][];
  await app.until(
    "emails:log",
    { batch: "welcome" },
    emails.map((email) => `${email}: sent at attempt 1`),
  );
  await expect.poll(() => states.at(-1)).toEqual(emails.map(() => "finished"));
  expect(states[0]).toContain("pending");
  expect(await app.query("emails:mostAtOnce")).toBeLessThanOrEqual(3);
  expect(await app.query("emails:mostAtOnce")).toBeGreaterThan(1);
});

test("a failed action is retried, unless its error says that this is useless", async () => {
  await sendAll("retries", ["flaky@example.com", "nobody"]);
  await app.until("emails:log", { batch: "retries" }, [
    "flaky@example.com: sent at attempt 2",
    "nobody: failed",
  ]);
});

test("canceled work reports that, and only what had started runs", async () => {
  const emails = Array.from({ length: 10 }, (_, n) => `late${n}@example.com`);
  await sendAll("late", emails);
  await app.mutation("emails:cancelAll");
  await expect
    .poll(async () => ((await app.query("emails:log", { batch: "late" })) as string[]).length)
    .toBe(emails.length);
  const log = (await app.query("emails:log", { batch: "late" })) as string[];
  expect(log.filter((line) => line.endsWith("canceled")).length).toBeGreaterThanOrEqual(emails.length - 3);
});

test("arguments and results may be large", async () => {
  const body = "x".repeat(800_000);
  await sendAll("large", ["large@example.com"], { body });
  await app.until("emails:log", { batch: "large" }, [`large@example.com: ${"x".repeat(50)}`]);
});

test("a pool that runs one mutation at a time counts without conflicts", async () => {
  await app.mutation("emails:countAll", { count: 30 });
  await app.until("emails:counted", {}, 30);
});
