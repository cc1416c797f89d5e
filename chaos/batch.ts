import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import OpenAI, { toFile } from "openai";
import { startStandIn } from "../bench/requests/stand-in.ts";
import { type Farm, startFarm } from "../launch/farm/farm.ts";
import { ledgerFaults } from "../launch/farm/ledger-faults.ts";
import { canMount, fillDisk, runOnSmallDisk, smallDisk } from "./small-disk.ts";

const { values } = parseArgs({
  options: {
    lines: { type: "string", default: "2000" },
    "disk-mb": { type: "string", default: "1500" },
    "stand-ins": { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});

/** A device that can be killed. */
type Device = { readonly kill: () => void };

const donorNames = ["donor-1", "donor-2", "donor-3", "donor-4"];

type Fault = "kill-donor" | "crash-backend" | "fill-disk";

/** After these shares of the answers, a part of the farm fails. */
const faults: readonly { readonly share: number; readonly kind: Fault }[] = [
  { share: 0.1, kind: "kill-donor" },
  { share: 0.3, kind: "crash-backend" },
  { share: 0.4, kind: "fill-disk" },
  { share: 0.5, kind: "kill-donor" },
  { share: 0.7, kind: "crash-backend" },
];

/** How long the disk has no room. */
const fullDiskMs = 15_000;

const say = (line: string): void => {
  if (!values.json) console.log(line);
};

/**
 * Runs a batch on four donors, of which two are killed. The backend is killed twice, and the disk is full once. Checks that every
 * line was answered exactly once, in files that OpenAI's client reads, that the batch costs the sum of its lines, and that the
 * ledger adds up. Prints the backend's peak memory.
 */
async function main(): Promise<number> {
  if (smallDisk === null && canMount()) return await runOnSmallDisk(Number(values["disk-mb"]));
  if (smallDisk === null) say("  the disk is not filled, since this machine lets us mount none");
  const count = Number(values.lines);
  const farm = await startFarm();
  try {
    const donors = await Promise.all(donorNames.map(async (name) => await startDevice(farm, name)));
    const client = new OpenAI({
      baseURL: `${farm.backend.siteUrl}/v1`,
      apiKey: farm.organization.apiKey,
      maxRetries: 20,
    });
    const startedAt = Date.now();
    const { batch, peakMb, left } = await runBatch(client, farm, count, donors);
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
      ...(left.length === 0 ? [] : [`${left.length} faults were not reached`]),
      ...(await priceFaults(client, batch)),
      ...ledgerFaults(await farm.setup.ledgerCheck()),
    ];
    const result = { lines: count, seconds, linesPerSecond: count / seconds, peakMb, faults: wrong };
    console.log(values.json ? JSON.stringify(result) : tableOf(result));
    return wrong.length === 0 ? 0 : 1;
  } finally {
    await farm.close();
  }
}

/** A donor with the demo model; or, for many lines on a slow machine, a device without a model that answers at once. */
async function startDevice(farm: Farm, name: string): Promise<Device> {
  if (!values["stand-ins"]) return await farm.startDonor(name);
  const standIn = await startStandIn(farm, 8);
  return { kill: () => void standIn.stop() };
}

async function runBatch(
  client: OpenAI,
  farm: Farm,
  count: number,
  donors: readonly Device[],
): Promise<{
  readonly batch: OpenAI.Batch;
  readonly peakMb: number | null;
  readonly left: readonly object[];
}> {
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
  const left = faults.filter(({ kind }) => kind !== "fill-disk" || smallDisk !== null);
  let peakMb: number | null = null;
  for (;;) {
    const batch = await client.batches.retrieve(id);
    peakMb = largest(peakMb, await peakMbOf(farm.backend.child.pid));
    const { completed = 0, failed = 0 } = batch.request_counts ?? {};
    if (!["validating", "in_progress"].includes(batch.status)) return { batch, peakMb, left };
    const next = left[0];
    if (next !== undefined && completed + failed >= next.share * count) {
      left.shift();
      const seconds = Math.round((Date.now() - from) / 1_000);
      const early = await idsIn(client, batch.output_file_id);
      if (early.length < completed) throw new Error(`${completed} answers, and the file has ${early.length}`);
      say(`  ${seconds} s, ${completed} answers, ${early.length} in the file: ${next.kind}`);
      if (next.kind === "kill-donor") donors[left.length % donors.length]?.kill();
      else if (next.kind === "crash-backend") await farm.restartBackend("crash");
      else await outlastFullDisk(farm);
    }
    await sleep(1_000);
  }
}

/** Fills the disk for a while. A backend that ended because of it is started again, as a service manager would do. */
async function outlastFullDisk(farm: Farm): Promise<void> {
  const free = await fillDisk(smallDisk ?? "");
  const end = await Promise.race([farm.backend.child.ended, sleep(fullDiskMs, null)]);
  await free();
  say(`  the disk has room again; the backend ${end === null ? "has gone on" : "ended meanwhile"}`);
  if (end !== null) await farm.restartBackend("crash");
}

/** A batch costs the sum of its lines. Its jobs are all jobs of the key. */
async function priceFaults(client: OpenAI, batch: OpenAI.Batch): Promise<readonly string[]> {
  let sum = 0n;
  let after: string | null = null;
  for (;;) {
    const page: JobPage = await client.get("/jobs", {
      query: { limit: 100, ...(after === null ? {} : { after }) },
    });
    for (const { price_micro: price } of page.data) sum += BigInt(price ?? 0);
    if (!page.has_more) break;
    after = page.last_id;
  }
  const { price_micro: price } = batch as OpenAI.Batch & { readonly price_micro: string };
  return BigInt(price) === sum ? [] : [`the batch costs ${price} micro-credits, its lines ${sum}`];
}

type JobPage = {
  readonly data: readonly { readonly price_micro: string | null }[];
  readonly last_id: string | null;
  readonly has_more: boolean;
};

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
