import { Setup } from "../../launch/organization/setup.ts";
import { readArguments, usageError } from "../command/arguments.ts";
import { CommandError, exitUsage, type Verb } from "../command/command.ts";

const usage = `GLEANER_ADMIN_KEY=… gleaner sign-in-link --url DEPLOYMENT [--organization NAME]
Prints a one-time sign-in token for an organization's admin.
  --url URL              the deployment, at the address for Convex clients
  --organization NAME    the organization, if the deployment has several
  GLEANER_ADMIN_KEY      the deployment's admin or deploy key`;

export const signInLink: Verb = { summary: "print a sign-in token for an admin", usage, run };

async function run(args: readonly string[]): Promise<void> {
  const options = { url: { type: "string" }, organization: { type: "string" } } as const;
  const { url, organization: name } = readArguments(args, options, usage).values;
  const adminKey = process.env["GLEANER_ADMIN_KEY"];
  if (url === undefined || adminKey === undefined) {
    throw usageError("--url and GLEANER_ADMIN_KEY are needed.", usage);
  }
  const setup = new Setup({ url, adminKey });
  const organizations = await setup.organizations();
  const [organization, ...more] = organizations.filter((each) => name === undefined || each.name === name);
  if (organization === undefined || more.length > 0) {
    const names = organizations.map((each) => each.name).join(", ");
    throw new CommandError(`Name one organization with --organization. There are: ${names}.`, exitUsage);
  }
  const token = await setup.makeSignInToken(organization.id);
  console.log(
    `For an admin of ${organization.name}, once, within a day. Open the console's address with\n\n  #signin=${token}`,
  );
}
