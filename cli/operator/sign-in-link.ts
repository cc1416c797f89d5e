import { Setup } from "../../launch/organization/setup.ts";
import { consoleOf, signInLink } from "../../launch/organization/sign-in-link.ts";
import { readArguments } from "../command/arguments.ts";
import { CommandError, exitUsage, type Verb } from "../command/command.ts";
import { chooseOrganization } from "./choose-organization.ts";
import { deploymentOptions, deploymentUsage, findDeployment } from "./deployment.ts";
import { secretOptions, secretTarget, secretUsage } from "./secret-target.ts";

const usage = `gleaner sign-in-link [options]
Prints a link that signs an organization's admin in, once.
${deploymentUsage}
  --console URL          the console's address, for a deployment that --url names
  --organization NAME    the organization, if the deployment has several
  --email ADDRESS        the member's address; without it the link is for the first owner
  --reset-second-factor  also forget the second factor of that member, who lost it
${secretUsage}`;

const options = {
  ...deploymentOptions,
  ...secretOptions,
  console: { type: "string" },
  organization: { type: "string" },
  email: { type: "string" },
  "reset-second-factor": { type: "boolean" },
} as const;

export const makeSignInLink: Verb = { usage, options, run };

async function run(args: readonly string[]): Promise<void> {
  const flags = readArguments(args, options, usage).values;
  const show = secretTarget(flags);
  const deployment = await findDeployment(flags, process.env);
  const page = consoleAt(flags.console, deployment.siteUrl);
  const setup = new Setup(deployment);
  const organization = await chooseOrganization(setup, flags.organization);
  const { email, "reset-second-factor": resetSecondFactor = false } = flags;
  const token = await setup.makeSignInToken(organization.id, { email, resetSecondFactor });
  const whom = `For ${email ?? `an admin of ${organization.name}`}, once, within a day`;
  await show(
    page === null
      ? `${whom}. Open the console's address with\n\n  ${signInLink("", token)}`
      : `${whom}:\n\n  ${signInLink(page, token)}`,
  );
}

/** The console's address that was given, or that of the backend; null if neither is known. Throws a CommandError. */
function consoleAt(given: string | undefined, siteUrl: string | null): string | null {
  if (given === undefined) return siteUrl === null ? null : consoleOf(siteUrl);
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new CommandError(`--console ${given} is no address of a page: https://…`, exitUsage);
  }
  url.hash = "";
  return url.href;
}
