import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MembershipReport } from "../../app/contract/membership.ts";
import { type Backend, startBackend } from "../backend/backend.ts";
import type { Child } from "../core/child.ts";
import { type DataFolder, openDataFolder } from "../core/data-folder.ts";
import { type DonorChildOptions, startHeadlessDonor } from "../donor/donor.ts";
import { readDemoModel } from "../organization/demo-model.ts";
import { makeSecret } from "../organization/secrets.ts";
import { type FirstOrganization, Setup } from "../organization/setup.ts";

/** A complete Gleaner in a temporary folder, on free ports, for the demo and for tests. `close` removes all of it. */
export type Farm = {
  readonly backend: Backend;
  readonly setup: Setup;
  readonly organization: FirstOrganization;
  readonly modelId: string;
  readonly folder: DataFolder;
  readonly adminKey: string;
  /** The folder of the farm's model; null for the demo model. */
  readonly modelFolder: string | null;
  /**
   * Enrolls a device of that name and starts its donor, with one thread for the model. Resolves when it has joined, or
   * reports why it cannot; without an enrollment code when it runs.
   */
  startDonor(name: string, overrides?: Partial<DonorChildOptions>): Promise<Child>;
  /** Ends the backend, then starts a new one on the same file and ports. `crash` kills it with SIGKILL. */
  restartBackend(how: "crash" | "stop"): Promise<void>;
  close(): Promise<void>;
};

export type FarmOptions = {
  /** Serve the built console. */
  readonly console?: boolean;
  /** A folder with a model and its manifest.json, instead of the demo model. */
  readonly modelFolder?: string;
  /** Added to the backend's environment. */
  readonly backendEnv?: { readonly [name: string]: string };
  /** More flags of the embedded backend, such as its latencies. */
  readonly backendFlags?: readonly string[];
};

export async function startFarm(options: FarmOptions = {}): Promise<Farm> {
  const model = await readDemoModel(options.modelFolder);
  const path = await mkdtemp(join(tmpdir(), "gleaner-farm-"));
  const folder = await openDataFolder(path);
  const adminKey = makeSecret("gleaner|");
  const local = {
    host: "127.0.0.1",
    console: options.console ?? false,
    env: options.backendEnv ?? {},
    flags: options.backendFlags ?? [],
  };
  const donors: Child[] = [];
  let backend = await startBackend(folder, adminKey, { ...local, port: 0, sitePort: 0 });
  const setup = new Setup(backend);
  const organization = await setup.createOrganization("Demo organization", model);
  return {
    get backend() {
      return backend;
    },
    setup,
    organization,
    modelId: model.id,
    folder,
    adminKey,
    modelFolder: options.modelFolder ?? null,
    startDonor: async (name, overrides) => {
      const place = Promise.withResolvers<MembershipReport>();
      const donor = await startHeadlessDonor({
        name,
        folder: join(folder.donorFolder, name),
        logFolder: folder.logFolder,
        backendUrl: backend.url,
        enrollmentCode: await setup.issueEnrollmentCode(organization.organizationId, name),
        panelPort: 0,
        unattended: true,
        // Donates even if the machine is busy, because somebody waits for this farm.
        donateNowMinutes: 60,
        modelManifests: options.modelFolder === undefined ? [] : [join(options.modelFolder, "manifest.json")],
        ...overrides,
        // Somebody waits for this farm, so its models also get processor time beside other programs.
        env: { GLEANER_THREADS: "1", GLEANER_TEST_PRIORITY: "normal", ...overrides?.env },
        onMembership: (report) => {
          if (report.device !== null || report.problem !== null) place.resolve(report);
          overrides?.onMembership?.(report);
        },
      });
      donors.push(donor);
      // Before it has joined, the organization has one device less than the caller expects. Without a code a person has to act.
      if (overrides?.enrollmentCode !== null) await Promise.race([place.promise, donor.ended]);
      return donor;
    },
    restartBackend: async (how) => {
      const ports = { port: portOf(backend.url), sitePort: portOf(backend.siteUrl) };
      if (how === "crash") backend.child.kill();
      else await backend.child.stop();
      await backend.child.ended;
      backend = await startBackend(folder, adminKey, { ...local, ...ports });
    },
    close: async () => {
      await Promise.all(donors.map((donor) => donor.stop()));
      await backend.child.stop();
      await rm(path, { recursive: true, force: true });
    },
  };
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
