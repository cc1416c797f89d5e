import { Setup } from "../../launch/organization/setup.ts";
import { readArguments } from "../command/arguments.ts";
import type { Verb } from "../command/command.ts";
import { chooseOrganization } from "./choose-organization.ts";
import { deploymentOptions, deploymentUsage, findDeployment } from "./deployment.ts";
import { secretOptions, secretTarget, secretUsage } from "./secret-target.ts";

const usage = `gleaner sign-in-link [options]
Prints a one-time sign-in token for an organization's admin.
${deploymentUsage}
  --organization NAME    the organization, if the deployment has several
  --email ADDRESS        the member's address; without it the link is for the first owner
  --reset-second-factor  also forget the second factor of that member, who lost it
${secretUsage}`;

export const signInLink: Verb = { summary: "print a sign-in token for an admin", usage, run };

async function run(args: readonly string[]): Promise<void> {
  const options = {
    ...deploymentOptions,
    ...secretOptions,
    organization: { type: "string" },
    email: { type: "string" },
    "reset-second-factor": { type: "boolean" },
  } as const;
  const flags = readArguments(args, options, usage).values;
  const show = secretTarget(flags);
  const setup = new Setup(await findDeployment(flags, process.env));
  const organization = await chooseOrganization(setup, flags.organization);
  const { email, "reset-second-factor": resetSecondFactor = false } = flags;
  const token = await setup.makeSignInToken(organization.id, { email, resetSecondFactor });
  await show(
    `For ${email ?? `an admin of ${organization.name}`}, once, within a day. Open the console's address with\n\n  #signin=${token}`,
  );
}
