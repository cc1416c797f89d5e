import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { checkTrail } from "../../app/audit/chain.ts";
import { jsonLines, readJsonLines } from "../../app/audit/jsonl.ts";
import { Setup } from "../../launch/organization/setup.ts";
import { readArguments } from "../command/arguments.ts";
import { CommandError, exitUsage, failCommand, type Verb } from "../command/command.ts";
import { say, sayJson } from "../command/output.ts";
import { chooseOrganization } from "./choose-organization.ts";
import { deploymentOptions, deploymentUsage, findDeployment } from "./deployment.ts";

const usage = `gleaner audit export|verify FILE [options]
Exports an organization's audit trail with its seals into a new file of JSON lines, or checks such a file without a deployment.
${deploymentUsage}
  --organization NAME    the organization, if the deployment has several
  --json                 print the result as JSON`;

const options = {
  ...deploymentOptions,
  organization: { type: "string" },
  json: { type: "boolean", default: false },
} as const;

export const audit: Verb = { usage, options, actions: ["export", "verify"], run };

async function run(args: readonly string[]): Promise<void> {
  const { values: flags, positionals } = readArguments(args, options, usage, 2);
  const [what, file] = positionals;
  if (file === undefined || (what !== "export" && what !== "verify"))
    throw new CommandError(usage, exitUsage);
  if (what === "verify") {
    await verify(resolve(file), flags.json);
    return;
  }
  const setup = new Setup(await findDeployment(flags, process.env));
  const organization = await chooseOrganization(setup, flags.organization);
  const { rows, seals } = await setup.auditTrail(organization.id);
  const text = jsonLines(rows, seals);
  await writeFile(resolve(file), text, { mode: 0o600, flag: "wx" }).catch(failCommand);
  const counts = { file: resolve(file), entries: rows.length, seals: seals.length };
  if (flags.json) sayJson(counts);
  else say(`${counts.file} has ${String(counts.entries)} entries and ${String(counts.seals)} seals.`);
}

/** Checks the seals of an exported file. Fails if one does not fit, or if the file has none. */
async function verify(file: string, isJson: boolean): Promise<void> {
  const trail = await readFile(file, "utf8").then(readJsonLines).catch(failCommand);
  const report = await checkTrail(trail, sha256);
  if (isJson) sayJson(report);
  const { broken, seals, sealedRows, unsealedRows } = report;
  if (broken !== null) throw new CommandError(`Seal ${String(broken.number)} does not fit. ${broken.why}`);
  if (seals === 0)
    throw new CommandError("This file has no seals, so nothing vouches for it. Export without filters.");
  if (isJson) return;
  const last = trail.seals.reduce((newest, seal) => (seal.number > newest.number ? seal : newest));
  say(
    `${String(seals)} seals fit ${String(sealedRows)} entries. No seal covers ${String(unsealedRows)} others.\n` +
      `The newest seal is number ${String(last.number)}: ${last.hash}`,
  );
}

async function sha256(text: string): Promise<string> {
  return await Promise.resolve(createHash("sha256").update(text).digest("hex"));
}
