import { parseArgs } from "node:util";
import { explain, LaunchError } from "../../launch/core/launch-error.ts";
import { Setup } from "../../launch/organization/setup.ts";

const usage = `npm run sign-in-link -- --url DEPLOYMENT [--organization NAME]
  --url            the deployment that Convex clients connect to
  --organization   which one, where the deployment has several
  GLEANER_ADMIN_KEY in the environment: the deployment's admin or deploy key`;

/** Prints another one-time sign-in token for an organization's admin, on any deployment. */
async function main(): Promise<void> {
  const options = { url: { type: "string" }, organization: { type: "string" } } as const;
  const { url, organization: name } = parseArgs({ options, strict: false }).values;
  const adminKey = process.env["GLEANER_ADMIN_KEY"];
  if (typeof url !== "string" || adminKey === undefined)
    throw new LaunchError("Two things are needed.", usage);
  const setup = new Setup({ url, adminKey });
  const organizations = await setup.organizations();
  const [organization, ...more] = organizations.filter((each) => name === undefined || each.name === name);
  if (organization === undefined || more.length > 0) {
    const names = organizations.map((each) => each.name).join(", ");
    throw new LaunchError(`Which organization? There are: ${names}.`, usage);
  }
  const token = await setup.makeSignInToken(organization.id);
  console.log(
    `For an admin of ${organization.name}, once, within a day. Open the console's address with\n\n  #signin=${token}`,
  );
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error(explain(error));
    process.exit(1);
  },
);
