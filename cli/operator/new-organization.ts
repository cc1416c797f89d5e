import { parseArgs } from "node:util";
import { readDemoModel } from "../../launch/organization/demo-model.ts";
import { explain, LaunchError } from "../../launch/core/launch-error.ts";
import { Setup } from "../../launch/organization/setup.ts";

const usage = `npm run new-organization -- --url DEPLOYMENT --name NAME
  --url     the deployment: https://happy-otter-123.convex.cloud, or a self-hosted or embedded one
  --name    the organization's name
  GLEANER_ADMIN_KEY in the environment: the deployment's admin or deploy key`;

/** Sets up an organization on any deployment, and prints its first secrets once. */
async function main(): Promise<void> {
  const { url, name, adminKey } = readOptions();
  const model = await readDemoModel();
  const setup = new Setup({ url, adminKey });
  const first = await setup.createOrganization(name, model);
  console.log(`${name} is set up. These are shown once:

  admin's sign-in token (the console's address, then #signin=…)  ${first.signInToken}
  first requester's API key                                      ${first.apiKey}
  first enrolment code                                           ${first.enrolmentCode}
`);
}

function readOptions(): { readonly url: string; readonly name: string; readonly adminKey: string } {
  const options = { url: { type: "string" }, name: { type: "string" } } as const;
  const { url, name } = parseArgs({ options, strict: false }).values;
  const adminKey = process.env["GLEANER_ADMIN_KEY"];
  if (typeof url !== "string" || typeof name !== "string" || adminKey === undefined) {
    throw new LaunchError("Three things are needed.", usage);
  }
  return { url, name: name.slice(0, 120), adminKey };
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error(explain(error));
    process.exit(1);
  },
);
