import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import OpenAI, { toFile } from "openai";
import type { Child } from "../launch/core/child.ts";
import { type Farm, startFarm } from "../launch/farm/farm.ts";
import { ledgerFaults } from "../launch/farm/ledger-faults.ts";

const { values } = parseArgs({
  options: {
    lines: { type: "string", default: "2000" },
    json: { type: "boolean", default: false },
  },
});

const donorNames = ["donor-1", "donor-2", "donor-3", "donor-4"];

/** After these shares of the answers, a part of the farm is killed. */
const faults: readonly { readonly share: number; readonly kills: "donor" | "backend" }[] = [
  { share: 0.1, kills: "donor" },
  { share: 0.3, kills: "backend" },
  { share: 0.5, kills: "donor" },
  { share: 0.7, kills: "backend" },
];

/**
 * Runs a batch on four donors, of which two are killed, as is the backend, twice. Checks that every line was answered exactly
 * once, in files that OpenAI's client reads, and that the ledger adds up. Prints the backend's peak memory.
 */
async function main(): Promise<number> {
  const count = Number(values.lines);
  const farm = await startFarm();
  try {
    const donors = await Promise.all(donorNames.map(async (name) => await farm.startDonor(name)));
    const client = new OpenAI({
      baseURL: `${farm.backend.siteUrl}/v1`,
      apiKey: farm.organization.apiKey,
      maxRetries: 20,
    });
    const startedAt = Date.now();
    const { batch, peakMb } = await runBatch(client, farm, count, donors);
    const seconds = (Date.now() - startedAt) / 1_000;
    const answers = await idsIn(client, batch.output_file_id);
    const errors = await idsIn(client, batch.error_file_id);
    const wrong = [
      ...(batch.status === "completed" ? [] : [`the batch is ${batch.status}`]),
      ...(answers.length === count ? [] : [`${answers.length} of ${count} lines have an answer`]),
      ...(new Set([...answers, ...errors]).size === answers.length + errors.length
        ? []
        : ["a line ended twice"]),
      ...(errors.length === 0 ? [] : [`${errors.length} lines have errors`]),
      ...ledgerFaults(await farm.setup.ledgerCheck()),
    ];
    const result = { lines: count, seconds, linesPerSecond: count / seconds, peakMb, faults: wrong };
    console.log(values.json ? JSON.stringify(result) : tableOf(result));
    return wrong.length === 0 ? 0 : 1;
  } finally {
    await farm.close();
  }
}

async function runBatch(
  client: OpenAI,
  farm: Farm,
  count: number,
  donors: readonly Child[],
): Promise<{ readonly batch: OpenAI.Batch; readonly peakMb: number | null }> {
  const lines = Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      custom_id: String(index),
      method: "POST",
      url: "/v1/chat/completions",
      body: {
        model: farm.modelId,
        messages: [{ role: "user", content: `${index % 10} + ${index % 7} =` }],
        temperature: 0,
        max_tokens: 8,
      },
    }),
  );
  const file = await toFile(Buffer.from(lines.join("\n")), "lines.jsonl");
  const { id: input_file_id } = await client.files.create({ file, purpose: "batch" });
  const { id } = await client.batches.create({
    input_file_id,
    endpoint: "/v1/chat/completions",
    completion_window: "24h",
  });
  const from = Date.now();
  const left = [...faults];
  let peakMb: number | null = null;
  for (;;) {
    const batch = await client.batches.retrieve(id);
    peakMb = largest(peakMb, await peakMbOf(farm.backend.child.pid));
    const { completed = 0, failed = 0 } = batch.request_counts ?? {};
    if (!["validating", "in_progress"].includes(batch.status)) return { batch, peakMb };
    const next = left[0];
    if (next !== undefined && completed + failed >= next.share * count) {
      left.shift();
      if (next.kills === "backend") await farm.restartBackend("crash");
      else donors[left.length % donors.length]?.kill();
      const seconds = Math.round((Date.now() - from) / 1_000);
      if (!values.json) console.log(`  ${seconds} s, ${completed} answers: killed a ${next.kills}`);
    }
    await sleep(1_000);
  }
}

function largest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

/** The most memory that a process has had, in MB. Only Linux says it; null elsewhere. */
async function peakMbOf(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kib = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
  return kib === undefined ? null : Math.round(Number(kib) / 1_000);
}

/** The names of the lines in a file. */
async function idsIn(client: OpenAI, fileId: string | null | undefined): Promise<readonly string[]> {
  if (fileId == null) return [];
  const text = await (await client.files.content(fileId)).text();
  return text
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { readonly custom_id: string }).custom_id);
}

function tableOf(result: Readonly<Record<string, unknown>>): string {
  return Object.entries(result)
    .map(([name, value]) => `  ${name.padEnd(16)} ${JSON.stringify(value)}`)
    .join("\n");
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
