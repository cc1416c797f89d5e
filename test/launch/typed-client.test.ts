import { type Batch, Gleaner, type JobUpdate } from "@gleaner/client";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";
import { ledgerFaults } from "../../launch/farm/ledger-faults.ts";

/** The typed client, on a running backend and a donor with the demo model. */
let farm: Farm;
let gleaner: Gleaner;

beforeAll(async () => {
  farm = await startFarm();
  gleaner = new Gleaner({ url: farm.backend.siteUrl, apiKey: farm.organization.apiKey });
});
afterAll(async () => {
  await gleaner.close();
  await farm.close();
});

const question = (text: string, most = 64) => ({
  model: farm.modelId,
  messages: [{ role: "user" as const, content: text }],
  temperature: 0,
  max_completion_tokens: most,
});
const long = () =>
  question("Summarize: The council met on Monday. It talked about the new bridge for hours.");

async function statesOf(jobId: string): Promise<JobUpdate[]> {
  const states: JobUpdate[] = [];
  for await (const state of gleaner.watch(jobId)) states.push(state);
  return states;
}

test("a watcher ends with an error when its client is closed", async () => {
  const own = new Gleaner({ url: farm.backend.siteUrl, apiKey: farm.organization.apiKey });
  const { id } = await own.submit("chat/completions", question("Hello"));
  const states = own.watch(id);
  expect((await states.next()).value).toMatchObject({ status: "queued" });
  const next = states.next();
  await Promise.all([
    expect(next).rejects.toMatchObject({ name: "GleanerError", code: "closed" }),
    own.close(),
  ]);
  // A later watcher connects anew.
  expect((await own.watch(id).next()).value).toMatchObject({ status: "queued" });
  await own.cancel(id);
  await own.close();
});

test("a job is watched from the queue to its end, through a crash of the backend", async () => {
  const job = await gleaner.submit("chat/completions", long());
  expect(job).toMatchObject({ status: "queued", model: farm.modelId });
  const states = statesOf(job.id);
  await farm.restartBackend("crash");
  await farm.startDonor("watched");
  const seen = await states;
  expect(seen[0]).toMatchObject({ status: "queued", attempt: 0, text: "", priceMicro: null });
  const answer = await gleaner.answer<"chat/completions">(job.id);
  const [choice] = answer.choices;
  expect(seen.at(-1)).toMatchObject({ status: "succeeded", text: choice?.message.content, error: null });
  expect(seen.some(({ status }) => status === "running")).toBe(true);
  expect((await gleaner.job(job.id)).price_micro).toBe(String(seen.at(-1)?.priceMicro));
});

test("two programs watch one job, and each gets its whole text in growing pieces", async () => {
  const job = await gleaner.submit("chat/completions", long());
  const [one, other] = await Promise.all([statesOf(job.id), statesOf(job.id)]);
  for (const states of [one, other]) {
    const texts = states.map(({ text }) => text);
    expect(texts).toEqual(texts.toSorted((a, b) => a.length - b.length));
    expect(states.at(-1)?.text.length).toBeGreaterThan(0);
  }
  expect(one.at(-1)).toEqual(other.at(-1));
});

test("a repeated key finds the same job, and a job can be canceled", async () => {
  const key = { idempotencyKey: "letter 17" };
  const first = await gleaner.submit("chat/completions", question("Hello"), key);
  await gleaner.answer(first.id);
  expect((await gleaner.submit("chat/completions", question("Hello"), key)).id).toBe(first.id);
  const other = await gleaner.submit("chat/completions", { ...long(), max_completion_tokens: 1_000 });
  const canceled = await gleaner.cancel(other.id).catch(() => gleaner.job(other.id));
  expect(["canceled", "succeeded"]).toContain(canceled.status);
  const { data } = await gleaner.jobs({ limit: 2 });
  expect(data.map(({ id }) => id)).toEqual([other.id, first.id]);
});

test("an answer is rated, rated again, disputed, and its rating removed", async () => {
  const { id } = await gleaner.submit("chat/completions", question("Hello"));
  await gleaner.answer(id);
  expect(await gleaner.rating(id)).toBeNull();
  expect(await gleaner.rate(id, { rating: "good" })).toMatchObject({ id, rating: "good", dispute: null });
  const bad = { rating: "bad", reason: "wrong", comment: "It greets nobody.", dispute: true } as const;
  const disputed = { ...bad, dispute: { status: "open", refund_micro: null } };
  expect(await gleaner.rate(id, bad)).toMatchObject(disputed);
  expect(await gleaner.rating(id)).toMatchObject(disputed);
  await gleaner.removeRating(id);
  expect(await gleaner.rating(id)).toBeNull();
  await expect(gleaner.rate("none", { rating: "good" })).rejects.toMatchObject({ status: 404 });
});

test("errors have the server's code and sentence, and are only thrown", async () => {
  const printed = (["error", "warn", "log"] as const).map((name) => vi.spyOn(console, name));
  const wrong = { ...question("Hello"), model: "none" };
  await expect(gleaner.ask("chat/completions", wrong)).rejects.toMatchObject({
    name: "GleanerError",
    status: 404,
    code: "model_not_found",
    message: expect.stringContaining("none"),
  });
  await expect(gleaner.watch("nothing").next()).rejects.toMatchObject({ code: "not_found" });
  const stranger = new Gleaner({ url: farm.backend.siteUrl, apiKey: "sk-gleaner-wrong" });
  await expect(stranger.watch("nothing").next()).rejects.toMatchObject({ code: "unauthorized" });
  await stranger.close();
  for (const spy of printed) expect(spy).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});

test("a batch is estimated, submitted as a list, and read while it runs", async () => {
  const lines = Array.from({ length: 40 }, (_, index) => ({
    id: `line ${index}`,
    body: index === 7 ? { model: farm.modelId, messages: [] } : question(`What is ${index} + 1?`, 8),
  }));
  const { requests } = await gleaner.batches.estimate(lines);
  expect(requests).toMatchObject({ total: 40, refused: 1 });
  const { id } = await gleaner.batches.create(lines, { within: "1h", metadata: { of: "sums" } });
  const ends = new Map<string, string>();
  for await (const { id: line, error } of gleaner.batches.answers(id))
    ends.set(line, error?.code ?? "answered");
  expect([...ends.keys()].toSorted()).toEqual(lines.map((line) => line.id).toSorted());
  expect([...ends].filter(([, end]) => end !== "answered").map(([line]) => line)).toEqual(["line 7"]);
  const last: Batch = await gleaner.batches.get(id);
  expect(last).toMatchObject({
    status: "completed",
    request_counts: { total: 40, completed: 39, failed: 1 },
  });
  expect((await gleaner.batches.list({ limit: 1 })).data.map((batch) => batch.id)).toEqual([id]);
  expect(ledgerFaults(await farm.setup.ledgerCheck())).toEqual([]);
});
