import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { ConvexHttpClient } from "convex/browser";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { api } from "../../convex/_generated/api.js";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";
import { makeSecret } from "../../launch/organization/secrets.ts";
import { openaiPython, type Python, pythonHookMs } from "./openai-python.ts";

/** Runs every example of the requesters' pages as it is written, on a running backend and a donor with the demo model. */
const root = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);

type Example = { readonly page: string; readonly language: string; readonly text: string };

async function examplesOf(page: string): Promise<readonly Example[]> {
  const text = await readFile(join(root, page), "utf8");
  return [...text.matchAll(/```(\w+)\n([^]*?)```/g)].map(([, language = "", block = ""]) => ({
    page,
    language,
    text: block,
  }));
}

const examples = (
  await Promise.all(
    ["README.md", "docs/api.md", "docs/requester.md", "packages/client/README.md"].map(examplesOf),
  )
).flat();

let farm: Farm;
let folder: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  farm = await startFarm();
  folder = await mkdtemp(join(tmpdir(), "gleaner-examples-"));
  const programs = join(folder, "programs");
  await mkdir(programs);
  const command = join(programs, "gleaner");
  await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${join(root, "cli/gleaner.ts")}" "$@"\n`);
  await chmod(command, 0o700);
  const { PATH = "" } = process.env;
  env = {
    PATH: `${programs}:${PATH}`,
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    BASE: farm.backend.siteUrl,
    KEY: farm.organization.apiKey,
    GLEANER_KEY: farm.organization.apiKey,
  };
  const client = new ConvexHttpClient(farm.backend.url, { logger: false });
  const session = makeSecret("gs_");
  const token = await farm.setup.makeSignInToken(farm.organization.organizationId);
  await client.mutation(api.console.account.signIn, { token, session });
  for (const alias of ["small", "default"])
    await client.mutation(api.console.aliases.set, { session, alias, modelId: farm.modelId });
});
afterAll(async () => {
  await farm.close();
  await rm(folder, { recursive: true });
});

/** Runs lines of a shell. Rejects if the last command fails. */
const shell = async (text: string): Promise<string> =>
  (await run("bash", ["-ec", text], { cwd: folder, env })).stdout;

/** Runs a program in TypeScript, which finds the packages of this repository. */
const program = async (text: string): Promise<string> =>
  (await run(process.execPath, ["--input-type=module-typescript", "--eval", text], { cwd: root, env }))
    .stdout;

const clientOf = (): string =>
  `import OpenAI from "openai"; import { createReadStream } from "node:fs";` +
  `const client = new OpenAI({ baseURL: process.env.BASE + "/v1", apiKey: process.env.KEY });`;

let python: Python;

// In a hook of its own, since an installation may take longer than all other beginnings.
beforeAll(async () => {
  python = await openaiPython();
}, pythonHookMs);

/** Runs a program in Python. */
const pythonProgram = async (text: string): Promise<string> =>
  (await run(python.kind === "found" ? python.python : "", ["-c", text], { cwd: folder, env })).stdout;

const pythonClient =
  'import os, time\nfrom openai import OpenAI\nclient = OpenAI(base_url=os.environ["BASE"] + "/v1", api_key=os.environ["KEY"])\n';

type Sent = {
  readonly method?: string;
  readonly body?: BodyInit;
  readonly headers?: Readonly<Record<string, string>>;
};

async function call(path: string, init: Sent = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${farm.organization.apiKey}`, ...init.headers };
  return await fetch(`${farm.backend.siteUrl}${path}`, { ...init, headers });
}

async function queuedJob(): Promise<string> {
  const body = JSON.stringify({ messages: [{ role: "user", content: "7 + 5 =" }] });
  const init = { method: "POST", body, headers: { prefer: "respond-async" } };
  return ((await (await call("/v1/chat/completions", init)).json()) as { id: string }).id;
}

async function uploaded(line: string): Promise<string> {
  const form = new FormData();
  form.set("purpose", "batch");
  form.set("file", new Blob([line]), "prompts.jsonl");
  return ((await (await call("/v1/files", { method: "POST", body: form })).json()) as { id: string }).id;
}

/** Answers may have several lines. Each row begins with its number. */
const answeredRows = async (): Promise<number> =>
  (await readFile(join(folder, "reviews.answers.csv"), "utf8")).match(/^\d+,/gm)?.length ?? 0;

const lineExample = (): string => examples.find(({ text }) => text.startsWith('{"custom_id"'))?.text ?? "";

/** The message of the example of webhooks, which runs before its receiver. */
let eventExample = "";

/** The program around the example of a receiver. It gets one signed message, and prints the batch that it collects. */
const receiverOf = (secret: string, body: string): string => `
  import { createHmac } from "node:crypto"; import { createServer } from "node:http";
  import { text } from "node:stream/consumers"; import OpenAI from "openai";
  const [baseURL, apiKey] = [process.env.BASE + "/v1", process.env.KEY];
  const collect = async ({ id }) => { console.log(id); process.exit(0); };
  function deliver() {
    const [id, at, body] = ["msg_1", String(Math.floor(Date.now() / 1_000)), ${JSON.stringify(body)}];
    const mac = createHmac("sha256", Buffer.from("${secret}", "base64")).update([id, at, body].join("."));
    const headers = { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": "v1," + mac.digest("base64") };
    void fetch("http://127.0.0.1:" + this.address().port, { method: "POST", headers, body });
  }
`;

/** How each example is run, by its beginning, in the order in which they can be run. The first one needs an idle donor. */
const runs: Readonly<Record<string, (text: string) => Promise<void>>> = {
  'curl "$BASE/v1/jobs/ID/priority"': async (text) => {
    const id = await queuedJob();
    expect(JSON.parse(await shell(text.replace("ID", id)))).toEqual({
      id,
      object: "job",
      service_tier: "flex",
    });
    await farm.startDonor("examples");
  },
  'import OpenAI from "openai"': async (text) => {
    const own = text.replace("http://127.0.0.1:3211", farm.backend.siteUrl);
    expect(own).not.toBe(text);
    expect(JSON.parse(await program(own))).toMatchObject({ city: "Lyon" });
  },
  "const votes = { x_gleaner": async (text) => {
    // Only one device is there.
    expect(JSON.parse(await program(clientOf() + text))).toMatchObject({
      choices: [{ message: { content: expect.any(String) as string } }],
      x_gleaner: { votes: 1, agreed: 1, escalated: false },
    });
  },
  "npm install @gleaner/client": async (text) => {
    const manifest = await readFile(join(root, "packages/client/package.json"), "utf8");
    const { name, peerDependencies } = JSON.parse(manifest) as { name: string; peerDependencies: object };
    expect(text.trim()).toBe(["npm install", name, ...Object.keys(peerDependencies)].join(" "));
  },
  'import { Gleaner } from "@gleaner/client"': async (text) => {
    const own = text.replace("http://127.0.0.1:3211", farm.backend.siteUrl);
    expect(own).not.toBe(text);
    const key = "process.env.GLEANER_API_KEY = process.env.KEY;";
    const end = "console.log(answer.choices[0].message.content);";
    const whole = [key, own, end].join("\n");
    expect(await program(whole)).toMatch(/succeeded \d+ .*Paris[^]*Paris/);
  },
  "import os\nfrom openai": async (text) => {
    expect(await pythonProgram(text)).toContain("Athens");
  },
  "answer = client.chat.completions.create(": async (text) => {
    expect(await pythonProgram(pythonClient + text)).toMatch(/Athens.* 1\n$/s);
  },
  "file = client.files.create(": async (text) => {
    await writeFile(join(folder, "prompts.jsonl"), lineExample());
    const quick = text.replace("sleep(10)", "sleep(0.5)");
    expect(JSON.parse(await pythonProgram(pythonClient + quick))).toMatchObject({
      custom_id: "q1",
      response: { status_code: 200 },
    });
  },
  'curl "$BASE/v1/tokenize"': async (text) => {
    const { count, tokens } = JSON.parse(await shell(text)) as { count: number; tokens: number[] };
    expect(count).toBeGreaterThan(2);
    expect(tokens).toHaveLength(count);
  },
  'curl "$BASE/v1/rerank"': async (text) => {
    const { results } = JSON.parse(await shell(text)) as { results: { index: number }[] };
    expect(results).toHaveLength(1);
    expect([0, 1]).toContain(results[0]?.index);
  },
  'curl -i "$BASE/v1/chat/completions"': async (text) => {
    const [asked = "", fetched = ""] = text.split(/\n(?=curl )/);
    const answerLater = async (): Promise<string> => {
      const answer = await shell(asked);
      expect(answer).toMatch(/^HTTP\/1\.1 202/);
      const [, id = ""] = /location: \/v1\/jobs\/(\S+)/i.exec(answer) ?? [];
      const result = async (): Promise<string> => await shell(fetched.replace("ID", id));
      await expect.poll(result, { interval: 300 }).toContain("chat.completion");
      return await result();
    };
    expect(await answerLater()).toContain("Athens");
  },
  'curl "$BASE/v1/jobs/ID/rating"': async (text) => {
    const id = await queuedJob();
    await expect.poll(async () => (await call(`/v1/jobs/${id}/result`)).status, { interval: 300 }).toBe(200);
    const [rated = "", removed = ""] = text.replaceAll("jobs/ID", `jobs/${id}`).split(/\n(?=curl )/);
    const rating = { id, object: "job.rating", rating: "bad", dispute: { status: "open" } };
    expect(JSON.parse(await shell(rated))).toMatchObject(rating);
    expect(JSON.parse(await shell(removed))).toEqual({ id, object: "job.rating", deleted: true });
  },
  '{"custom_id": "q1"': async (text) => {
    expect(await uploaded(text)).toMatch(/^file-/);
  },
  "const file = await client.files.create": async (text) => {
    const path = join(folder, "prompts.jsonl");
    await writeFile(path, lineExample());
    // The example looks every ten seconds.
    const quick = text.replace('"prompts.jsonl"', JSON.stringify(path)).replace("10_000", "500");
    const answer = JSON.parse(await program(clientOf() + quick)) as { custom_id: string; response: object };
    expect(answer).toMatchObject({ custom_id: "q1", response: { status_code: 200 } });
  },
  'curl "$BASE/v1/estimate/chat/completions"': async (text) => {
    expect(JSON.parse(await shell(text))).toMatchObject({ object: "estimate", answers: 1 });
  },
  'curl "$BASE/v1/batches/estimate"': async (text) => {
    const id = await uploaded(lineExample());
    const estimate: unknown = JSON.parse(await shell(text.replace("file-…", id)));
    expect(estimate).toMatchObject({ requests: { total: 1, refused: 0 }, errors: null });
  },
  'curl -H "Authorization: Bearer $KEY" "$BASE/v1/usage': async (text) => {
    expect(JSON.parse(await shell(text))).toMatchObject({ object: "list", by: "day", days: 7 });
  },
  '{ "id": "evt_': async (text) => {
    eventExample = text;
    expect(JSON.parse(text)).toMatchObject({ object: "event", type: "batch.completed" });
  },
  "const client = new OpenAI({ baseURL, apiKey, webhookSecret": async (text) => {
    const list = (await (await call("/v1/batches?limit=1")).json()) as { data: { id: string }[] };
    const id = list.data[0]?.id ?? "";
    const secret = randomBytes(32).toString("base64");
    const own = text.replace("whsec_…", `whsec_${secret}`).replace("8080", "0, deliver");
    const body = eventExample.trim().replace("batch_k97…", id);
    expect((await program(receiverOf(secret, body) + own)).trim()).toBe(id);
  },
  "gleaner login": async (text) => {
    await writeFile(join(folder, "key-file"), `${farm.organization.apiKey}\n`);
    expect(await shell(text.replace("https://gleaner.example", farm.backend.siteUrl))).toContain(
      farm.modelId,
    );
  },
  "gleaner run reviews.csv": async (text) => {
    await writeFile(join(folder, "reviews.csv"), "id,text\n1,A lovely place.\n2,Never again.\n");
    await shell(text);
    expect(await answeredRows()).toBe(2);
  },
  "gleaner run --resume": async (text) => {
    const rows = Array.from({ length: 22 }, (_, row) => `${String(row)},Fine`);
    await writeFile(join(folder, "reviews.csv"), `id,text\n${rows.join("\n")}\n`);
    await rm(join(folder, "reviews.answers.csv"));
    // Nobody is at a terminal, so the run stops before the other two rows.
    const first = examples.find((each) => each.text.startsWith("gleaner run reviews.csv"))?.text ?? "";
    await shell(first).catch(() => undefined);
    await shell(`${text.trim()} --yes`);
    expect(await answeredRows()).toBe(22);
  },
};

test("every example of the pages is run by a test", () => {
  const unknown = examples.filter(({ text }) => !Object.keys(runs).some((begin) => text.startsWith(begin)));
  expect(unknown.map(({ page, text }) => `${page} has an example that no test runs: ${text}`)).toEqual([]);
});

describe("an example works as it is written", () => {
  test.for(Object.keys(runs))("%s", async (begin, { skip }) => {
    const example = examples.find(({ text }) => text.startsWith(begin));
    if (example === undefined) throw new Error("No page has this example.");
    if (example.language === "python" && python.kind === "lacking") skip(python.reason);
    await runs[begin]?.(example.text);
  });
});
