import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Backend } from "../backend/backend.ts";
import type { Child } from "../core/child.ts";
import { nextSteps, type OthersStep } from "./next-steps.ts";
import { Setup } from "../organization/setup.ts";
import { openInstallation } from "../organization/installation.ts";
import { type DonorPart, type Prepared, startBackendPart, startDonorPart } from "./prepared.ts";

export type Everything = { readonly backend: Backend; readonly donor: DonorPart };

/**
 * Starts the backend, sets up or opens the organization, starts this computer's donor, and prints what each of
 * the three people does next. What was started is in `started` even when a later part fails.
 */
export async function startEverything(prepared: Prepared, started: Child[]): Promise<Everything> {
  const { folder, model, options } = prepared;
  const backend = await startBackendPart(prepared);
  started.push(backend.child);
  const setup = new Setup(backend);
  const { installation, firstRun, note } = await openInstallation(
    folder,
    setup,
    backend.siteUrl,
    options.organization,
    model,
  );
  const { organizationId, organizationName, apiKey } = installation;
  const enrolled = existsSync(join(folder.donorFolder, "device.json")) && !firstRun;
  const ownCode = enrolled ? null : await setup.issueEnrolmentCode(organizationId, "This computer");
  const donor = await startDonorPart(prepared, backend.url, ownCode, !enrolled);
  started.push(donor.child);
  if (note !== null) console.log(`\n${note}`);
  console.log(
    nextSteps({
      organizationName,
      dataFolder: folder.path,
      apiBase: `${backend.publicSiteUrl}/v1`,
      apiKey,
      modelId: model.id,
      signInLink: `${backend.publicSiteUrl}/console/#signin=${await setup.makeSignInToken(organizationId)}`,
      donor: donor.step,
      others: await othersStep(backend, setup, organizationId),
    }),
  );
  return { backend, donor };
}

async function othersStep(
  backend: Backend,
  setup: Setup,
  organizationId: Parameters<Setup["issueEnrolmentCode"]>[0],
): Promise<OthersStep> {
  if (backend.publicUrl === backend.url) return { kind: "loopback" };
  const enrolmentCode = await setup.issueEnrolmentCode(organizationId, "Another computer");
  return { kind: "network", backendUrl: backend.publicUrl, enrolmentCode };
}
