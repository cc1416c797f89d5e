import { Setup } from "../../launch/organization/setup.ts";
import { readArguments } from "../command/arguments.ts";
import type { Verb } from "../command/command.ts";
import { say } from "../command/output.ts";
import { chooseOrganization } from "./choose-organization.ts";
import { deploymentOptions, deploymentUsage, findDeployment } from "./deployment.ts";
import { secretOptions, secretTarget, secretUsage } from "./secret-target.ts";

const usage = `gleaner metrics-token [options]
Makes the token with which Prometheus reads an organization's metrics at /metrics, and prints it once. An earlier token ends.
${deploymentUsage}
  --organization NAME    the organization, if the deployment has several
  --remove               end the token instead, so that nobody can read the metrics
${secretUsage}`;

const options = {
  ...deploymentOptions,
  ...secretOptions,
  organization: { type: "string" },
  remove: { type: "boolean", default: false },
} as const;

export const metricsToken: Verb = { usage, options, run };

async function run(args: readonly string[]): Promise<void> {
  const flags = readArguments(args, options, usage).values;
  const show = flags.remove ? null : secretTarget(flags);
  const setup = new Setup(await findDeployment(flags, process.env));
  const { id, name } = await chooseOrganization(setup, flags.organization);
  if (show === null) {
    await setup.removeMetricsToken(id);
    say(`Nobody can read the metrics of ${name} now.`);
    return;
  }
  await show(await setup.makeMetricsToken(id));
}
