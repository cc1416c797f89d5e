import { randomUUID } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { keptStatePath, prepareRestore, undoRestore, verifyBackup } from "@gleaner/embedded/operator";
import * as z from "zod";
import { formatBytes, plural } from "../../app/format/quantity.ts";
import { defaultDataFolder } from "../../launch/core/paths.ts";
import { readArguments, usageError } from "../command/arguments.ts";
import { CommandError, exitUnreachable, failCommand, type Verb } from "../command/command.ts";
import { Progress } from "../command/output.ts";
import { type Deployment, deploymentOptions, deploymentUsage, findDeployment } from "./deployment.ts";

const usage = `gleaner restore FILE [options]
gleaner restore --undo [options]
Resets a running deployment to a backup. The deployment checks the file and restarts with it, and its clients reconnect by
themselves. Changes since the backup are undone, but what was revoked, used, retired or removed since then stays so, and everybody
has to sign in again. The previous data is kept, and --undo goes back to it. If no deployment runs, the restore is prepared, and the next
start completes it. If the previous data is lost or damaged, nobody knows what was revoked since the backup: use --revoke-all.
--undo does not undo revocations either, whether by a person or by --revoke-all.
${deploymentUsage}
  --undo                 go back to the data before the last restore
  --revoke-all           revoke all API keys, devices, enrollment codes, sign-in links and tokens for metrics of the backup
  --data FILE            the data file to prepare if no deployment runs (default: that of \`npm start\`)
  --json                 print the result as JSON`;

const options = {
  ...deploymentOptions,
  data: { type: "string" },
  undo: { type: "boolean", default: false },
  "revoke-all": { type: "boolean", default: false },
  json: { type: "boolean", default: false },
} as const;

export const restore: Verb = { usage, options, run };

const partBytes = 5 * 1024 * 1024;
const askEveryMs = 200;
/** As long as the deployment gives a request to arrive. */
const partWithinMs = 5 * 60_000;
/** The deployment reads the whole file before it answers. */
const checkedWithinMs = 5 * 60_000;
const restartedWithinMs = 5 * 60_000;

const outcomeSchema = z.union([
  z.object({
    id: z.string(),
    kind: z.literal("done"),
    undo: z.string().nullable(),
    carried: z.enum(["none", "all", "unknown"]).default("none"),
    revoked: z.record(z.string(), z.number()).optional(),
  }),
  z.object({ id: z.string(), kind: z.literal("failed"), reason: z.string() }),
]);

async function run(args: readonly string[]): Promise<void> {
  const { values: flags, positionals } = readArguments(args, options, usage, 1);
  const [file] = positionals;
  if ((file === undefined) !== flags.undo) throw usageError("Name one file, or --undo.", usage);
  const revokeAll = flags["revoke-all"];
  if (revokeAll && flags.undo) throw usageError("--revoke-all needs a backup, and --undo has none.", usage);
  const progress = new Progress(flags.json);
  const path = file === undefined ? null : resolve(file);
  if (path !== null) {
    progress.at(`Checking ${path}`);
    await verifyBackup(path).catch(failCommand);
  }
  const deployment = await findDeployment(flags, process.env);
  try {
    await restoreRunning(deployment, path, { progress, revokeAll, isJson: flags.json });
  } catch (error) {
    const isDown = error instanceof CommandError && error.exitCode === exitUnreachable;
    if (!isDown || flags.url !== undefined) throw error;
    const dataFile = resolve(flags.data ?? join(defaultDataFolder(process.env), "backend.sqlite"));
    await prepareWithoutBackend(dataFile, path, revokeAll);
    const change = path === null ? "undoes the restore" : "restores the backup";
    const revocation = revokeAll ? ", and revokes all keys, devices, codes and links in it" : "";
    progress.done(`No backend runs on ${dataFile}. Its next start ${change}${revocation}.`);
    if (revokeAll) progress.done(afterRevocation);
    const undo = keptStatePath(dataFile);
    if (flags.json) console.log(JSON.stringify({ restored: false, prepared: true, undo }));
  }
}

/** Says whether revocations since the backup are still in force. */
const carriedNotes: Readonly<Record<"none" | "all" | "unknown", string | null>> = {
  none: null,
  all: "API keys, codes, sign-in links, devices and webhooks that were revoked, used, retired or removed since the backup stay so.",
  unknown:
    "There was no earlier data here, or not all of it could be read. So nobody knows which API keys, enrollment codes and" +
    " devices were revoked or retired since the backup: they may be valid again. Review them in the console, under API keys," +
    " Enrollment codes and Devices, and revoke those that you do not know. Or restore again with --revoke-all.",
};

const afterRevocation =
  "Next: `gleaner sign-in-link` makes a link for the console. Create API keys and enrollment codes there, and reinstate the " +
  "devices that you know. Other computers join again with a new code. The API key that `npm start` printed is revoked, too: " +
  "its next start prints a new one.";

const revokedNouns: Readonly<Record<string, readonly string[]>> = {
  apiKeys: ["# API key", "# API keys"],
  devices: ["# device", "# devices"],
  enrollmentCodes: ["# enrollment code", "# enrollment codes"],
  signInLinks: ["# sign-in link", "# sign-in links"],
  metricsTokens: ["# metrics token", "# metrics tokens"],
};

/** "Revoked 2 API keys, 1 device, …". */
function revokedNote(revoked: Readonly<Record<string, number>>): string {
  const counts = Object.entries(revoked).map(([kind, count]) =>
    plural(count, revokedNouns[kind] ?? [`# ${kind}`, `# ${kind}`]),
  );
  return `Revoked ${counts.join(", ")}. ${afterRevocation}`;
}

/** Prepares a restore, or if `file` is null, its undo. The backend may not run, or not start with the present data. */
async function prepareWithoutBackend(
  dataFile: string,
  file: string | null,
  revokeAll: boolean,
): Promise<void> {
  const folder = dirname(dataFile);
  if (!existsSync(folder)) {
    throw new CommandError(
      `There is no folder ${folder}. Start Gleaner once, or name the data file with --data.`,
    );
  }
  const id = randomUUID();
  if (file !== null) await prepareRestore(dataFile, file, id, { revokeAll }).catch(failCommand);
  else if (!undoRestore(dataFile, id)) throw new CommandError("There is nothing to undo.");
}

function undoNote(undo: string, isRevoked: boolean): string {
  const kept = `The previous data is kept in ${undo}.`;
  return isRevoked
    ? `${kept} \`gleaner restore --undo\` goes back to it, but what is revoked now stays revoked.`
    : `${kept} To go back to it: \`gleaner restore --undo\``;
}

type RestoreOptions = {
  readonly progress: Progress;
  readonly revokeAll: boolean;
  readonly isJson: boolean;
};

async function restoreRunning(
  deployment: Deployment,
  path: string | null,
  { progress, revokeAll, isJson }: RestoreOptions,
): Promise<void> {
  const id =
    path === null
      ? await ask(deployment, "/undo", {})
      : await ask(deployment, "", { uploadToken: await send(deployment, path, progress), revokeAll });
  progress.at("Restarting with it");
  const outcome = await outcomeOf(deployment, id);
  if (outcome.kind === "failed") {
    throw new CommandError(
      `The deployment did not start with the backup, so nothing has changed: ${outcome.reason}`,
    );
  }
  const { undo, carried, revoked } = outcome;
  progress.done(undo === null ? "Restored." : `Restored. ${undoNote(undo, revoked !== undefined)}`);
  const note = revoked === undefined ? carriedNotes[carried] : revokedNote(revoked);
  if (note !== null) progress.done(note);
  if (isJson) console.log(JSON.stringify({ restored: true, undo, carried, revoked: revoked ?? null }));
}

/** Uploads the backup. @returns the upload's token */
async function send(deployment: Deployment, path: string, progress: Progress): Promise<string> {
  const started = await deployment.fetch("/api/import/start_upload", { method: "POST" });
  const { uploadToken } = z.object({ uploadToken: z.string() }).parse(await started.json());
  const total = (await stat(path)).size;
  let sent = 0;
  let part = 1;
  for await (const chunk of createReadStream(path, { highWaterMark: partBytes }) as AsyncIterable<Buffer>) {
    const query = new URLSearchParams({ uploadToken, partNumber: String(part) });
    await deployment.fetch(`/api/import/upload_part?${query.toString()}`, {
      method: "POST",
      body: new Uint8Array(chunk),
      signal: AbortSignal.timeout(partWithinMs),
    });
    sent += chunk.length;
    part += 1;
    progress.at(`Sending ${formatBytes(sent)} of ${formatBytes(total)}`);
  }
  progress.at("The deployment checks the file");
  return uploadToken;
}

async function ask(deployment: Deployment, path: "" | "/undo", body: object): Promise<string> {
  const response = await deployment.fetch(`/api/embedded/restore${path}`, {
    method: "POST",
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(checkedWithinMs),
  });
  return z.object({ id: z.string() }).parse(await response.json()).id;
}

/** Waits until the deployment has restarted. It does not answer meanwhile. */
async function outcomeOf(deployment: Deployment, id: string): Promise<z.output<typeof outcomeSchema>> {
  const until = Date.now() + restartedWithinMs;
  while (Date.now() < until) {
    await sleep(askEveryMs);
    const answer: unknown = await deployment
      .fetch("/api/embedded/restore")
      .then((response) => response.json())
      .catch(() => null);
    const outcome = outcomeSchema.safeParse(answer);
    if (outcome.success && outcome.data.id === id) return outcome.data;
  }
  throw new CommandError(
    `${deployment.url} has not come back. See its log. Its next start completes the restore.`,
    exitUnreachable,
  );
}
