import { createWriteStream, existsSync } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { formatBytes } from "../app/format/quantity.ts";
import { verifyBackup } from "../../packages/embedded/backup/full/unpack-backup.ts";
import { CommandError, EXIT_USAGE, type Verb } from "../command/command.ts";
import { deploymentOptions, deploymentUsage, findDeployment } from "./deployment.ts";
import { Progress } from "./progress.ts";
import { Progress, size } from "../command/progress.ts";

const usage = `gleaner backup [FILE] [options]
Writes everything that a running deployment has, as of one moment, into one file: documents, stored files, what is
scheduled, environment variables. It goes on running meanwhile.
  FILE                   where to (default: gleaner-backup-DATE-TIME.zip, here)
${deploymentUsage}
  --json                 print the result as JSON`;

export const backup: Verb = { summary: "write everything that a deployment has into one file", usage, run };

async function run(args: readonly string[]): Promise<void> {
  const { file, flags } = readArguments(args);
  const progress = new Progress(flags.json);
  const target = resolve(file ?? defaultName(new Date()));
  if (existsSync(target))
    throw new CommandError(`${target} is there already. Name another file.`, EXIT_USAGE);
  const deployment = await findDeployment(flags, process.env);
  const partial = `${target}.part`;
  await rm(partial, { force: true });
  try {
    const response = await deployment.fetch("/api/gleaner/backup");
    if (response.body === null) throw new CommandError("The deployment sent nothing.");
    await pipeline(
      Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]),
      counted((bytes) => progress.at(`Copying ${deployment.url}: ${formatBytes(bytes)}`)),
      createWriteStream(partial, { mode: 0o600, flags: "wx", flush: true }),
    ).catch((error: unknown) => {
      throw new CommandError(
        `The copy broke off: ${error instanceof Error ? error.message : String(error)}.`,
      );
    });
    progress.at("Checking what was written");
    const manifest = await verifyBackup(partial);
    await rename(partial, target);
    const bytes = (await stat(target)).size;
    const documents = manifest.tables.reduce((total, table) => total + table.documents, 0);
    const files = manifest.entries.length - 1;
    progress.done(
      `Everything as of ${manifest.createdAt} is in ${target} (${formatBytes(bytes)}: ${String(documents)} documents, ` +
        `${String(files)} files). It holds everybody's data and keys: keep it as safe as the deployment.`,
    );
    if (flags.json) {
      console.log(JSON.stringify({ file: target, bytes, documents, files, createdAt: manifest.createdAt }));
    }
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

function readArguments(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...deploymentOptions, json: { type: "boolean", default: false } },
    });
    if (positionals.length > 1) throw new Error("One file at most can be named.");
    return { file: positionals[0], flags: values };
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n\n${usage}`, EXIT_USAGE);
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
