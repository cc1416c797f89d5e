import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { batchEstimate, batchObject, jobList, readFileFrom, uploadFile } from "@gleaner/client/http";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { receiptSchema } from "../../app/receipts/receipt.ts";
import { Api } from "../../cli/requester/client/api.ts";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";
import { ledgerFaults } from "../../launch/farm/ledger-faults.ts";

/** The requester's commands, as processes, against a real backend and a real donor with the demo model. */
const root = resolve(import.meta.dirname, "../..");

type Ran = { readonly code: number; readonly out: string; readonly err: string };

let farm: Farm;
let folder: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  farm = await startFarm();
  folder = await mkdtemp(join(tmpdir(), "gleaner-requester-"));
  // The command keeps its login here, also if it is run on a Mac or on Windows.
  env = { ...process.env, XDG_CONFIG_HOME: folder, APPDATA: folder, HOME: folder };
  for (const name of ["GLEANER", "OPENAI"])
    for (const of of ["BASE_URL", "API_KEY"]) delete env[`${name}_${of}`];
  await farm.startDonor("answering");
});
afterAll(async () => {
  await farm.close();
  await rm(folder, { recursive: true });
});

type Running = {
  /** Resolves once standard error has this text, or at the end. */
  readonly until: (text: string) => Promise<void>;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<Ran>;
};

function start(args: readonly string[], input = ""): Running {
  const child = spawn(process.execPath, [join(root, "cli/gleaner.ts"), ...args], { cwd: folder, env });
  child.stdin.end(input);
  let [out, err] = ["", ""];
  child.stdout.on("data", (data: Buffer) => (out += data.toString()));
  child.stderr.on("data", (data: Buffer) => (err += data.toString()));
  const ended = new Promise<Ran>((done) => {
    child.once("close", (code) => done({ code: code ?? -1, out, err }));
  });
  const until = async (text: string): Promise<void> => {
    const seen = new Promise<void>((done) => {
      const look = (): void => {
        if (err.includes(text)) done();
      };
      child.stderr.on("data", look);
      look();
    });
    await Promise.race([seen, ended]);
  };
  return { until, kill: (signal) => void child.kill(signal), ended };
}

const gleanerWith = (input: string, ...args: readonly string[]): Promise<Ran> => start(args, input).ended;

const gleaner = (...args: readonly string[]): Promise<Ran> => start(args).ended;

async function json<Schema extends z.ZodType>(
  schema: Schema,
  ...args: readonly string[]
): Promise<z.output<Schema>> {
  const { code, out, err } = await gleaner(...args, "--json");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return schema.parse(JSON.parse(out));
}

const api = (): Api =>
  new Api({ url: `${farm.backend.siteUrl}/v1`, apiKey: farm.organization.apiKey, pin: null });

const capitals = { Norway: "Oslo", France: "Paris", Italy: "Rome", Spain: "Madrid", Austria: "Vienna" };
const countries = Object.keys(capitals);

async function writeTable(name: string, rows: number): Promise<void> {
  const lines = Array.from({ length: rows }, (_, row) => `${row},${countries[row % countries.length]}`);
  await writeFile(join(folder, name), `id,country\n${lines.join("\n")}\n`);
}

const question = [
  "--template",
  "What is the capital of {{country}}?",
  "--temperature",
  "0",
  "--max-tokens",
  "30",
];

const batches = z.object({ data: z.array(batchObject) });

test("logs in with a key that the server knows, and stores it for its owner only", async () => {
  expect(await gleaner("models")).toMatchObject({ code: 2, err: expect.stringContaining("gleaner login") });
  const wrong = await gleanerWith("sk-gleaner-wrong\n", "login", "--url", farm.backend.siteUrl);
  expect(wrong).toMatchObject({ code: 1, out: "", err: expect.stringContaining("not known") });
  const away = await gleanerWith("sk-gleaner-x\n", "login", "--url", "http://127.0.0.1:9");
  expect(away).toMatchObject({ code: 3, out: "", err: expect.stringContaining("cannot be reached") });
  const { apiKey } = farm.organization;
  const { code, out, err } = await gleanerWith(
    `${apiKey}\n`,
    "login",
    "--url",
    farm.backend.siteUrl,
    "--json",
  );
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const { file, models } = z.object({ file: z.string(), models: z.array(z.string()) }).parse(JSON.parse(out));
  expect(models).toEqual([farm.modelId]);
  expect(out).not.toContain(apiKey);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await gleaner("models")).out).toMatch(new RegExp(`^${farm.modelId} +[\\d,]+ tokens\n$`));
});

test("chats with a question, and with one from a pipe", { timeout: 300_000 }, async () => {
  const asked = await gleaner("chat", "What is the capital of Norway?", "--temperature", "0");
  expect(asked).toEqual({ code: 0, out: "The capital of Norway is Oslo.\n", err: "" });
  const piped = await gleanerWith("What is the capital of France?\n", "chat", "--temperature", "0", "--json");
  expect(piped).toMatchObject({ code: 0, out: expect.stringContaining("Paris") });
  expect(await gleaner("chat", "x", "--model", "gpt-5")).toMatchObject({
    code: 2,
    err: expect.stringContaining(`You can ask ${farm.modelId}`),
  });
});

test("asks for second opinions, and says how many devices gave one", async () => {
  const capital = ["What is the capital of Norway?", "--temperature", "0.1"];
  const voted = await gleaner("chat", ...capital, "--votes", "3");
  expect(voted).toMatchObject({
    code: 0,
    out: expect.stringContaining("Oslo"),
    err: "No other device was idle, so nobody gave a second opinion.\n",
  });
  const { x_gleaner } = await json(z.looseObject({}), "chat", ...capital, "--votes", "3");
  expect(x_gleaner).toMatchObject({ votes: 1, agreed: 1, escalated: false });
  expect(await gleaner("chat", "x", "--votes", "9")).toMatchObject({
    code: 1,
    err: expect.stringContaining("x_gleaner.votes"),
  });
});

test("lists jobs, and shows one and its answer", async () => {
  const { data } = await json(jobList, "jobs", "--limit", "2");
  expect(data).toMatchObject([{ status: "succeeded" }, { status: "succeeded" }]);
  const { id } = data[0]!;
  expect((await gleaner("jobs", "get", id)).out).toContain(`${id}: succeeded.`);
  expect((await gleaner("jobs", "result", id)).out).toMatch(/^The capital of \w+ is \w+\.\n$/);
  expect((await gleaner("jobs", "cancel", id)).code).toBe(1);
  const told = await gleaner("usage", "--days", "7");
  expect(told.out).toMatch(/^day +jobs[^]*\nYour key can spend [\d.]+ credits now\.\n$/);
  const usage = z.object({ available_credits: z.number().positive() });
  expect(told.out).toContain(` ${String((await json(usage, "usage")).available_credits)} credits`);
});

test("lists receipts, and names the job from which to go on", async () => {
  const page = await gleaner("jobs", "receipts", "--limit", "1");
  expect(JSON.parse(page.out)).toMatchObject({ object: "receipt" });
  const [, after = ""] = /--after (\S+)/.exec(page.err) ?? [];
  const receipts = z.object({ data: z.array(receiptSchema), last_id: z.string(), has_more: z.boolean() });
  const older = await json(receipts, "jobs", "receipts", "--after", after);
  expect(older.has_more).toBe(false);
  expect(older.data.map(({ claim }) => claim.jobId)).not.toContain(after);
  const none = await gleaner("jobs", "receipts", "--after", older.last_id);
  expect(none).toEqual({ code: 0, out: "", err: "None of these jobs has a receipt.\n" });
});

/** Ends a command by a signal once it has printed this. */
async function interrupt(signal: NodeJS.Signals, text: string, args: readonly string[]): Promise<Ran> {
  const running = start(args);
  await running.until(text);
  running.kill(signal);
  return await running.ended;
}

test(
  "a run of a table survives Ctrl-C, a kill and a crash of the backend, and asks about each row once",
  { timeout: 300_000 },
  async () => {
    const rows = 40;
    await writeTable("countries.csv", rows);
    const before = (await json(batches, "batch", "list")).data.length;
    const command = ["run", "countries.csv", ...question, "--first", "5", "--output", "answers.csv"];
    // Nobody is at a terminal, and nobody has said --yes.
    const unasked = await gleaner(...command);
    expect(unasked).toMatchObject({ code: 1, out: "" });
    expect(unasked.err).toMatch(
      /The capital of Norway is Oslo[^]*(No end is known|Done by .*95%)[^]*The other 35 rows were not submitted/,
    );
    expect((await readFile(join(folder, "answers.csv"), "utf8")).trimEnd().split("\r\n")).toHaveLength(6);
    const other = await gleaner(...command, "--system", "Be brief.");
    expect(other).toMatchObject({
      code: 2,
      err: expect.stringContaining("another table, template or options"),
    });

    const stopped = await interrupt("SIGINT", "as batch_", [...command, "--yes"]);
    expect(stopped).toMatchObject({
      code: 130,
      err: expect.stringContaining(`To continue: gleaner run --resume ${join(folder, "answers.csv")}`),
    });
    await interrupt("SIGKILL", "rows", ["run", "--resume", "answers.csv"]);
    expect(await readdir(folder)).toContain("answers.csv.run");
    const last = start(command);
    await last.until("rows");
    await farm.restartBackend("crash");
    expect(await last.ended).toMatchObject({
      code: 0,
      out: expect.stringContaining("40 rows with their answers"),
    });

    const written = await readFile(join(folder, "answers.csv"), "utf8");
    expect(written.trimEnd().split("\r\n")).toEqual([
      "id,country,answer,answer_error",
      ...Array.from({ length: rows }, (_, row) => {
        const country = countries[row % countries.length] as keyof typeof capitals;
        return `${row},${country},The capital of ${country} is ${capitals[country]}.,`;
      }),
    ]);
    expect(await readdir(folder)).not.toContain("answers.csv.run");
    const made = (await json(batches, "batch", "list")).data;
    expect(made).toHaveLength(before + 1);
    expect(made[0]?.request_counts).toEqual({ total: 35, completed: 35, failed: 0 });
    expect(ledgerFaults(await farm.setup.ledgerCheck())).toEqual([]);
    expect(await gleaner(...command)).toMatchObject({
      code: 2,
      err: expect.stringContaining("exists already"),
    });
    expect(await gleaner("run", "--resume", "answers.csv")).toMatchObject({ code: 2 });
  },
);

test("a row with an error is in the output, and the command fails", async () => {
  const lines = ["Norway", "x".repeat(300_000), "Italy"].map((country) => JSON.stringify({ country }));
  await writeFile(join(folder, "long.jsonl"), lines.join("\n"));
  const ran = await gleaner("run", "long.jsonl", ...question, "--first", "1", "--yes");
  expect(ran).toMatchObject({
    code: 1,
    err: expect.stringContaining("1 row has an error, in the column answer_error"),
  });
  const written = (await readFile(join(folder, "long.answers.jsonl"), "utf8")).trimEnd().split("\n");
  expect(written.map((line): unknown => JSON.parse(line))).toMatchObject([
    { answer: "The capital of Norway is Oslo.", answer_error: null },
    { answer: null, answer_error: expect.stringMatching(/\w/) },
    { answer: "The capital of Italy is Rome.", answer_error: null },
  ]);
});

test("a quote says what an answer would cost, and asks nothing", async () => {
  const before = (await json(jobList, "jobs")).data.length;
  const { out } = await gleaner("quote", "What is the capital of Norway?", "--max-tokens", "20");
  expect(out).toMatch(/would probably cost [\d.]+ cr, at most [\d.]+ cr\./);
  expect(out).toMatch(/The price: [\d.,]+ in \+ [\d.,]+ out credits per 1,000 tokens, version \d+\.\d+\./);
  const prices = z.object({ expected_price_micro: z.string(), most_price_micro: z.string() });
  const told = await json(prices, "quote", "What is the capital of Norway?", "--max-tokens", "20");
  expect(BigInt(told.most_price_micro)).toBeGreaterThanOrEqual(BigInt(told.expected_price_micro));
  expect((await json(jobList, "jobs")).data).toHaveLength(before);
  expect(await gleaner("quote", "Hi", "--model", "gpt-5")).toMatchObject({
    code: 2,
    err: expect.stringContaining("There is no model gpt-5."),
  });
});

test("a batch is created from a file, followed, and read", async () => {
  const body = { model: farm.modelId, messages: [{ role: "user", content: "7 + 5 =" }], max_tokens: 4 };
  const line = (name: string, model = farm.modelId): string =>
    JSON.stringify({
      custom_id: name,
      method: "POST",
      url: "/v1/chat/completions",
      body: { ...body, model },
    });
  await writeFile(join(folder, "requests.jsonl"), [line("a"), line("b"), line("c", "gpt-5")].join("\n"));
  const estimate = await json(batchEstimate, "batch", "estimate", "requests.jsonl", "--within", "2h");
  expect(estimate.requests).toEqual({ total: 3, is_exact: true, refused: 1 });
  expect((await gleaner("batch", "estimate", "requests.jsonl")).out).toContain("would probably cost");
  const create = ["batch", "create", "requests.jsonl", "--within", "2h"];
  const { id } = await json(batchObject, ...create);
  // As after Ctrl-C, when nobody has seen the id.
  expect(await gleaner(...create)).toMatchObject({
    out: expect.stringContaining(id),
    err: expect.stringContaining("--again"),
  });
  const again = await json(batchObject, ...create, "--again");
  expect(again.id).not.toBe(id);
  await gleaner("batch", "cancel", again.id);
  // The file was checked by then, so it says when the batch will be done, or that it ends too late.
  const third = await gleaner(...create, "--again");
  expect(third).toMatchObject({ code: 0, err: "" });
  expect(third.out).toMatch(/: (completed|in_progress\. .*(No end is known|Done by .*95%))/);
  await writeFile(join(folder, "wrong.jsonl"), "no JSON");
  expect(await gleaner("batch", "create", "wrong.jsonl")).toMatchObject({
    code: 1,
    out: expect.stringContaining("Line 1: "),
    err: expect.stringContaining("did not start"),
  });
  const waited = await gleaner("batch", "wait", id);
  expect(waited).toMatchObject({ code: 1, err: expect.stringContaining("2 of 3 answered, 1 error") });
  const { out } = await gleaner("batch", "results", id);
  expect(
    out
      .trimEnd()
      .split("\n")
      .map((each) => (JSON.parse(each) as { custom_id: string }).custom_id)
      .sort(),
  ).toEqual(["a", "b"]);
  await gleaner("batch", "results", id, "--errors", "--output", "errors.jsonl");
  expect(await readFile(join(folder, "errors.jsonl"), "utf8")).toContain('"custom_id":"c"');
  expect((await gleaner("batch", "results", id, "--errors", "--output", "errors.jsonl")).code).toBe(1);
  expect((await gleaner("batch", "get", "batch_none")).err).toContain("no such batch");
});

test("a batch is canceled", async () => {
  await writeTable("many.csv", 2_000);
  await interrupt("SIGKILL", "as batch_", ["run", "many.csv", ...question, "--first", "0", "--yes"]);
  const [open] = (await json(batches, "batch", "list", "--limit", "1")).data;
  expect((await json(batchObject, "batch", "cancel", open!.id)).status).toMatch(/^cancell(ing|ed)$/);
  expect((await gleaner("batch", "wait", open!.id)).code).toBe(1);
  // The run continues with what there is, and names the others.
  const rest = await gleaner("run", "--resume", "many.answers.csv");
  expect(rest).toMatchObject({ code: 1, err: expect.stringContaining("rows have an error") });
  expect((await readFile(join(folder, "many.answers.csv"), "utf8")).trimEnd().split("\r\n")).toHaveLength(
    2_001,
  );
});

test("a large file is uploaded in parts", async () => {
  const content = Buffer.from("0123456789\n".repeat(100));
  const chunks = async function* () {
    for (let at = 0; at < content.length; at += 77)
      yield await Promise.resolve(content.subarray(at, at + 77));
  };
  const parts: number[] = [];
  const source = { bytes: content.length, chunks: chunks() };
  const id = await uploadFile(api(), "parts.jsonl", source, (part) => parts.push(part), 300);
  expect(parts).toEqual([1, 2, 3, 4]);
  const pieces: Uint8Array[] = [];
  for await (const piece of readFileFrom(api(), id, 5)) pieces.push(piece);
  expect(Buffer.concat(pieces)).toEqual(content.subarray(5));
});

test.each([
  [["run", "none.csv", ...question], "There is no file"],
  [["run", "empty.csv", ...question], "is empty"],
  [["run", "countries.csv", "--template", "{{land}}"], "has the columns id, country."],
  [["run", "countries.csv"], "--template"],
  [["run", "countries.csv", ...question, "--within", "8d"], "from 1h to 7d"],
  [["run", "countries.txt", ...question], "must end with .csv or .jsonl"],
  [["batch", "create", "none.jsonl"], "There is no file"],
  [["batch", "create", "countries.csv", "--within", "8d"], "from 1h to 7d"],
  [["batch", "get"], "Name the batch"],
  [["jobs", "explode"], "Unknown action"],
  [["jobs", "--limit", "0"], "from 1 to 100"],
  [["jobs", "receipts", "--limit", "51"], "from 1 to 50"],
  [["batch", "list", "--limit", "ten"], "from 1 to 100"],
  [["usage", "--days", "8"], "7, 30 or 90"],
  [["chat", "x", "--max-tokens", "many"], "must be a whole number"],
  [["chat", "x", "--votes", "some"], "must be a whole number"],
  [["chat", "x", "--requires", "color=red"], "--requires may have group"],
  [["models", "remove", "x"], "gleaner downloads remove"],
])("says what is wrong: %j", async (args, why) => {
  await writeFile(join(folder, "empty.csv"), "");
  await writeTable("countries.csv", 3);
  expect(await gleaner(...args)).toMatchObject({ code: 2, out: "", err: expect.stringContaining(why) });
});

test("logs out", async () => {
  expect(await gleaner("logout")).toMatchObject({ code: 0, out: expect.stringContaining("Logged out") });
  expect((await gleaner("jobs")).code).toBe(2);
});
