import { readDemoModel } from "../../launch/organization/demo-model.ts";
import { Setup } from "../../launch/organization/setup.ts";
import { readArguments, usageError } from "../command/arguments.ts";
import type { Verb } from "../command/command.ts";
import { readTrustFor, trustOptions, trustUsage } from "../command/trust.ts";
import { secretOptions, secretTarget, secretUsage } from "./secret-target.ts";

const usage = `GLEANER_ADMIN_KEY=… gleaner new-organization --url DEPLOYMENT --name NAME
Sets up an organization on a deployment, and prints its first secrets once.
  --url URL              the deployment: https://happy-otter-123.convex.cloud, or a self-hosted or embedded one
  --name NAME            the organization's name
${secretUsage}
${trustUsage}
  GLEANER_ADMIN_KEY      the deployment's admin or deploy key`;

const text = { type: "string" } as const;
const options = { ...secretOptions, ...trustOptions, url: text, name: text } as const;

export const newOrganization: Verb = { usage, options, run };

async function run(args: readonly string[]): Promise<void> {
  const flags = readArguments(args, options, usage).values;
  const { url, name } = flags;
  const adminKey = process.env["GLEANER_ADMIN_KEY"];
  if (url === undefined || name === undefined || adminKey === undefined) {
    throw usageError("--url, --name and GLEANER_ADMIN_KEY are needed.", usage);
  }
  const show = secretTarget(flags);
  const organizationName = name.slice(0, 120);
  const setup = new Setup({ url, pin: readTrustFor(url, flags, process.env).pin, adminKey });
  const first = await setup.createOrganization(organizationName, await readDemoModel());
  await show(`${organizationName} is set up. Its secrets are shown only now:

  admin's sign-in token (open the console's address with #signin=…)  ${first.signInToken}
  first requester's API key                                          ${first.apiKey}
  first enrollment code (for one device, within a day)               ${first.enrollmentCode}
`);
}
