import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { z } from "zod";
import { formatBytes } from "../app/format/quantity.ts";
import { verifyBackup } from "../../packages/embedded/backup/full/unpack-backup.ts";
import { CommandError, EXIT_UNREACHABLE, EXIT_USAGE, type Verb } from "../command/command.ts";
import { type Deployment, deploymentOptions, deploymentUsage, findDeployment } from "./deployment.ts";
import { Progress } from "./progress.ts";
import { Progress, size } from "../command/progress.ts";
import { stageWithoutBackend } from "./stage-restore.ts";

const usage = `gleaner restore FILE [options]
gleaner restore --undo [options]
Puts a deployment back to what a backup has, while it runs: it checks the file, starts itself anew on it, and its
clients come back by themselves. What was done since the backup is undone; the state before is kept, and --undo
goes back to it. Where nothing runs, the file is prepared and the next start takes it.
${deploymentUsage}
  --data FILE            the data file to prepare, where nothing runs (default: that of \`npm start\`)
  --json                 print the result as JSON`;

export const restore: Verb = { summary: "put a deployment back to what a backup has", usage, run };

const PART_BYTES = 5 * 1024 * 1024;
const ASK_EVERY_MS = 200;
const RESTARTED_WITHIN_MS = 5 * 60_000;

const outcomeSchema = z.union([
  z.object({ id: z.string(), kind: z.literal("done"), undo: z.string().nullable() }),
  z.object({ id: z.string(), kind: z.literal("failed"), reason: z.string() }),
]);

async function run(args: readonly string[]): Promise<void> {
  const { file, flags } = readArguments(args);
  const progress = new Progress(flags.json);
  const path = file === undefined ? null : resolve(file);
  if (path !== null) {
    progress.at(`Checking ${path}`);
    await verifyBackup(path).catch((error: unknown) => {
      throw new CommandError(error instanceof Error ? error.message : String(error));
    });
  }
  const deployment = await findDeployment(flags, process.env);
  try {
    await restoreRunning(deployment, path, progress, flags.json);
  } catch (error) {
    const isDown = error instanceof CommandError && error.exitCode === EXIT_UNREACHABLE;
    if (!isDown || flags.url !== undefined) throw error;
    const { message, undo } = await stageWithoutBackend(path, flags.data);
    progress.done(message);
    if (flags.json) console.log(JSON.stringify({ restored: false, prepared: true, undo }));
  }
}

async function restoreRunning(
  deployment: Deployment,
  path: string | null,
  progress: Progress,
  isJson: boolean,
): Promise<void> {
  const id = path === null ? await ask(deployment, "/undo", {}) : await send(deployment, path, progress);
  progress.at("Starting anew on it");
  const outcome = await outcomeOf(deployment, id);
  if (outcome.kind === "failed") {
    throw new CommandError(
      `It does not start with what was restored, so all is as it was: ${outcome.reason}`,
    );
  }
  progress.done(
    outcome.undo === null
      ? "Restored."
      : `Restored. The state before is kept in ${outcome.undo}; \`gleaner restore --undo\` goes back to it.`,
  );
  if (isJson) console.log(JSON.stringify({ restored: true, undo: outcome.undo }));
}

async function send(deployment: Deployment, path: string, progress: Progress): Promise<string> {
  const started = await deployment.fetch("/api/import/start_upload", { method: "POST" });
  const { uploadToken } = z.object({ uploadToken: z.string() }).parse(await started.json());
  const total = (await stat(path)).size;
  let sent = 0;
  let part = 1;
  for await (const chunk of createReadStream(path, { highWaterMark: PART_BYTES }) as AsyncIterable<Buffer>) {
    const query = new URLSearchParams({ uploadToken, partNumber: String(part) });
    await deployment.fetch(`/api/import/upload_part?${query.toString()}`, {
      method: "POST",
      body: new Uint8Array(chunk),
    });
    sent += chunk.length;
    part += 1;
    progress.at(`Sending ${formatBytes(sent)} of ${formatBytes(total)}`);
  }
  progress.at("Checking it there");
  return ask(deployment, "", { uploadToken });
}

async function ask(deployment: Deployment, path: "" | "/undo", body: object): Promise<string> {
  const response = await deployment.fetch(`/api/gleaner/restore${path}`, {
    method: "POST",
    body: JSON.stringify(body),
  });
  return z.object({ id: z.string() }).parse(await response.json()).id;
}

/** Waits until the deployment has started anew. It answers nothing meanwhile. */
async function outcomeOf(deployment: Deployment, id: string): Promise<z.output<typeof outcomeSchema>> {
  const until = Date.now() + RESTARTED_WITHIN_MS;
  while (Date.now() < until) {
    await sleep(ASK_EVERY_MS);
    const answer: unknown = await deployment
      .fetch("/api/gleaner/restore")
      .then((response) => response.json())
      .catch(() => null);
    const outcome = outcomeSchema.safeParse(answer);
    if (outcome.success && outcome.data.id === id) return outcome.data;
  }
  throw new CommandError(
    `${deployment.url} has not come back. See its log; when it starts again, it takes what was restored.`,
    EXIT_UNREACHABLE,
  );
}

function readArguments(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...deploymentOptions,
        data: { type: "string" },
        undo: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
      },
    });
    const [file, ...more] = positionals;
    if (more.length > 0 || (file === undefined) !== values.undo) throw new Error("Name one file, or --undo.");
    return { file, flags: values };
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n\n${usage}`, EXIT_USAGE);
  }
}
