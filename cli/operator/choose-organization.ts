import type { Setup } from "../../launch/organization/setup.ts";
import { CommandError, exitUsage } from "../command/command.ts";

type Organization = Awaited<ReturnType<Setup["organizations"]>>[number];

/** The deployment's organization with this name, or its only one. Rejects with CommandError. */
export async function chooseOrganization(setup: Setup, name: string | undefined): Promise<Organization> {
  const organizations = await setup.organizations();
  const [organization, ...more] = organizations.filter((each) => name === undefined || each.name === name);
  if (organization !== undefined && more.length === 0) return organization;
  const names = organizations.map((each) => each.name).join(", ");
  throw new CommandError(`Name one organization with --organization. There are: ${names}.`, exitUsage);
}
