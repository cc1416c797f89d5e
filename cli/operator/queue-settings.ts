import * as z from "zod";
import { Setup } from "../../launch/organization/setup.ts";
import { readArguments, usageError } from "../command/arguments.ts";
import { CommandError, type Verb } from "../command/command.ts";
import { say, sayJson, table } from "../command/output.ts";
import { chooseOrganization } from "./choose-organization.ts";
import { deploymentOptions, deploymentUsage, findDeployment } from "./deployment.ts";

const usage = `gleaner queue-settings [NAME=VALUE …] [options]
Shows the settings of the queue, and changes the named ones. Without --organization, for all organizations that have no own
ones. Admins change the limits of their own queue in the console, up to the values that are set here.
  NAME=VALUE             a number: names that end in Ms are milliseconds, in Bytes bytes
  NAME=                  return to the default
${deploymentUsage}
  --organization NAME    the settings of one organization
  --json                 print them as JSON`;

const options = {
  ...deploymentOptions,
  organization: { type: "string" },
  json: { type: "boolean", default: false },
} as const;

export const queueSettings: Verb = { usage, options, run };

const mostChanges = 100;

async function run(args: readonly string[]): Promise<void> {
  const { values: flags, positionals } = readArguments(args, options, usage, mostChanges);
  const changes = readChanges(positionals);
  const setup = new Setup(await findDeployment(flags, process.env));
  const organizationId =
    flags.organization === undefined ? null : (await chooseOrganization(setup, flags.organization)).id;
  if (positionals.length > 0) await setup.setQueueSettings(organizationId, changes).catch(failRefused);
  const settings = await setup.queueSettings(organizationId);
  if (flags.json) {
    sayJson(settings);
    return;
  }
  const rows = settings.map(({ name, value, own }) => [name, String(value), own === null ? "" : "set here"]);
  say(table([["SETTING", "VALUE", ""], ...rows]));
}

/** Parses "NAME=VALUE" and "NAME=", which is the default. Throws CommandError. */
export function readChanges(given: readonly string[]): Readonly<Record<string, number | null>> {
  const changes = given.map((change): [string, number | null] => {
    const [, name = "", text = ""] = /^(\w+)=(\S*)$/.exec(change) ?? [];
    const value = Number(text);
    if (name === "" || !Number.isFinite(value)) {
      throw usageError(`"${change}" must be NAME=NUMBER, or NAME= for the default.`, usage);
    }
    return [name, text === "" ? null : value];
  });
  return Object.fromEntries(changes);
}

/** A ConvexError of a refused call. */
const refusal = z.object({ data: z.object({ message: z.string() }) });

function failRefused(error: unknown): never {
  const said = refusal.safeParse(error);
  throw said.success ? new CommandError(said.data.data.message) : error;
}
