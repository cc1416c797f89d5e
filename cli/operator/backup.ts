import { createWriteStream, existsSync } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { verifyBackup } from "@gleaner/embedded/operator";
import { formatBytes } from "../../app/format/quantity.ts";
import { IdleDeadline } from "../../launch/core/idle-deadline.ts";
import { readArguments } from "../command/arguments.ts";
import { CommandError, exitUsage, type Verb } from "../command/command.ts";
import { Progress } from "../command/output.ts";
import { deploymentOptions, deploymentUsage, findDeployment } from "./deployment.ts";

const usage = `gleaner backup [FILE] [options]
Writes a consistent copy of a running deployment into one file: documents, stored files, scheduled functions, and
environment variables. The deployment keeps running.
  FILE                   the file to write (default: gleaner-backup-DATE-TIME.zip in this folder)
${deploymentUsage}
  --json                 print the result as JSON`;

const options = { ...deploymentOptions, json: { type: "boolean", default: false } } as const;

export const backup: Verb = { usage, options, run };

/** The deployment sends data all the time, but a large database can take a while to begin. */
const silentForMs = 120_000;

async function run(args: readonly string[]): Promise<void> {
  const { values: flags, positionals } = readArguments(args, options, usage, 1);
  const [file] = positionals;
  const progress = new Progress(flags.json);
  const target = resolve(file ?? defaultName(new Date()));
  if (existsSync(target)) throw new CommandError(`${target} exists already. Name another file.`, exitUsage);
  const deployment = await findDeployment(flags, process.env);
  const partial = `${target}.part`;
  await rm(partial, { force: true });
  const deadline = new IdleDeadline(silentForMs);
  try {
    const { signal } = deadline;
    const response = await deployment.fetch("/api/embedded/backup", { signal });
    if (response.body === null) throw new CommandError("The deployment sent no data.");
    await pipeline(
      Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]),
      counted((bytes) => {
        deadline.extend();
        progress.at(`Copying ${deployment.url}: ${formatBytes(bytes)}`);
      }),
      createWriteStream(partial, { mode: 0o600, flags: "wx", flush: true }),
    ).catch((error: unknown) => {
      throw new CommandError(
        `The copy was interrupted: ${error instanceof Error ? error.message : String(error)}.`,
      );
    });
    progress.at("Checking the file");
    const manifest = await verifyBackup(partial);
    await rename(partial, target);
    const bytes = (await stat(target)).size;
    const documents = manifest.tables.reduce((total, table) => total + table.documents, 0);
    const files = manifest.entries.length - 1;
    progress.done(
      `${target} has the state of ${manifest.createdAt} (${formatBytes(bytes)}: ${String(documents)} documents, ` +
        `${String(files)} files). It contains everybody's data and keys: keep it as safe as the deployment.`,
    );
    if (flags.json) {
      console.log(JSON.stringify({ file: target, bytes, documents, files, createdAt: manifest.createdAt }));
    }
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  } finally {
    deadline.end();
  }
}

function counted(onBytes: (total: number) => void) {
  let total = 0;
  return async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      total += chunk.length;
      onBytes(total);
      yield chunk;
    }
  };
}

/** "gleaner-backup-20261121-093000.zip", in UTC. */
function defaultName(now: Date): string {
  const digits = now.toISOString().replaceAll(/[-:]/g, "");
  return `gleaner-backup-${digits.slice(0, 8)}-${digits.slice(9, 15)}.zip`;
}
