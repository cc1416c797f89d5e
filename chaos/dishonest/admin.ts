import { ConvexHttpClient } from "convex/browser";
import type { FunctionReturnType, PaginationOptions, PaginationResult } from "convex/server";
import { api, internal } from "../../convex/_generated/api.js";
import type { Farm } from "../../launch/farm/farm.ts";
import { listDevices } from "../../launch/farm/watcher.ts";
import { makeSecret } from "../../launch/organization/secrets.ts";

const { checks } = api.console.fleet;

type Case = FunctionReturnType<typeof checks.cases>["page"][number];
type Canary = FunctionReturnType<typeof checks.canaries>["page"][number];

/** The checks of an answer are chosen after 30 s at the earliest, and the run looks every few seconds. */
const chosenWithinMs = 45_000;

/** The entries of the audit trail about a device: its cases, its pauses and who ended them. */
export type DeviceEvent = { readonly second: number; readonly action: string; readonly detail: string };

/** Client methods that Convex's own CLI calls, but its published types omit. */
type OperatorClient = {
  setAdminAuth(key: string): void;
  function(reference: unknown, componentPath: undefined, args: unknown): Promise<unknown>;
};

/** An owner, who sees what the console shows, and the operator of the deployment. */
export class Admin {
  readonly #client: ConvexHttpClient;
  readonly #operator: OperatorClient;
  readonly #organizationId: Farm["organization"]["organizationId"];
  readonly #session: string;
  /** The answers that were seen, by job, with the names of their devices. */
  readonly #seen = new Map<string, string>();
  /** The jobs with a wrong answer whose requests need no further answer. */
  readonly #corrected = new Set<string>();
  readonly #from = Date.now();
  #isAnswering = false;
  /** When the last job ended that was seen, ms epoch. */
  #lastEndedAt = 0;

  private constructor(farm: Farm, session: string) {
    this.#client = new ConvexHttpClient(farm.backend.url, { logger: false });
    this.#operator = new ConvexHttpClient(farm.backend.url, { logger: false }) as unknown as OperatorClient;
    this.#operator.setAdminAuth(farm.adminKey);
    this.#organizationId = farm.organization.organizationId;
    this.#session = session;
  }

  /** Signs in, and lets the organization act on checks. */
  static async signIn(farm: Farm): Promise<Admin> {
    const session = makeSecret("gs_");
    const admin = new Admin(farm, session);
    const token = await farm.setup.makeSignInToken(farm.organization.organizationId);
    await admin.#client.mutation(api.console.account.signIn, { token, session });
    await admin.#client.mutation(checks.setMode, { session, mode: "act" });
    return admin;
  }

  answered(name: string): number {
    return [...this.#seen.values()].filter((answered) => answered === name).length;
  }

  /** Reads the newest jobs. */
  async look(): Promise<void> {
    const jobs = await this.#client.query(api.console.jobs.list, {
      session: this.#session,
      paginationOpts: { numItems: 50, cursor: null },
    });
    this.#isAnswering = jobs.page.some(({ finishedAt }) => finishedAt === null);
    const ended = jobs.page.map(({ finishedAt }) => finishedAt ?? 0);
    this.#lastEndedAt = Math.max(this.#lastEndedAt, ...ended);
    for (const { jobId, attempts } of jobs.page) {
      const last = attempts.find(({ status }) => status === "succeeded");
      if (last !== undefined) this.#seen.set(jobId, last.deviceName);
    }
  }

  /** Has ended jobs counted, and so their checks chosen. The backend does that each minute. */
  async count(): Promise<void> {
    await this.#operator.function(internal.maintenance.countStatistics, undefined, {});
  }

  /** Has a canary with this prompt asked, as the backend does now and then. */
  async askCanary(prompt: string): Promise<void> {
    const session = this.#session;
    await this.#client.mutation(checks.setCanaries, { session, prompts: [prompt] });
    const args = { organizationId: this.#organizationId };
    await this.#operator.function(internal.trust.canaries.ask, undefined, args);
  }

  /**
   * Whether a job is under way or its checks may not be chosen yet, a check or a canary waits, a case is open, or a wrong answer is not
   * corrected yet.
   */
  async isBusy(): Promise<boolean> {
    const session = this.#session;
    const recent = await allPages((paginationOpts) =>
      this.#client.query(checks.recent, { session, paginationOpts }),
    );
    const canaries = await this.canaries();
    const cases = await this.cases();
    const isChecking =
      recent.some(({ state }) => state === "waiting") ||
      canaries.some(({ state }) => state === "asked" || state === "replayed") ||
      cases.some(({ state }) => state === "open");
    if (isChecking || (await this.#isCorrecting(cases))) return true;
    // Last, since the end of a case has a request answered again.
    await this.look();
    return this.#isAnswering || Date.now() - this.#lastEndedAt < chosenWithinMs;
  }

  async #isCorrecting(cases: readonly Case[]): Promise<boolean> {
    for (const { jobId } of cases.filter(({ state }) => state === "wrong")) {
      if (this.#corrected.has(jobId)) continue;
      const job = await this.#client.query(api.console.jobs.get, { session: this.#session, jobId });
      // An answer to a canary, and one with invented tokens, gets no correction.
      const { foundWrong } = job;
      const isDone =
        foundWrong === null || foundWrong.correctedBy !== undefined || foundWrong.notCorrected !== undefined;
      if (!isDone) return true;
      this.#corrected.add(jobId);
    }
    return false;
  }

  /** Those of the devices that still get jobs. */
  async notPaused(names: readonly string[]): Promise<readonly string[]> {
    const paused = (await this.devices()).filter(({ status }) => status === "paused");
    return names.filter((name) => !paused.some((device) => device.name === name));
  }

  /** Whether no replay could test the device's last answer, and it still gets jobs. */
  async isUnchecked(name: string): Promise<boolean> {
    const device = (await this.devices()).find((each) => each.name === name);
    return device?.unchecked === true && device.status === "active";
  }

  cases(): Promise<readonly Case[]> {
    const session = this.#session;
    return allPages((paginationOpts) => this.#client.query(checks.cases, { session, paginationOpts }));
  }

  canaries(): Promise<readonly Canary[]> {
    const session = this.#session;
    return allPages((paginationOpts) => this.#client.query(checks.canaries, { session, paginationOpts }));
  }

  /** The entries of the audit trail about a device, oldest first. */
  async #eventsOf(subject: string): Promise<readonly DeviceEvent[]> {
    const session = this.#session;
    const rows = await allPages((paginationOpts) =>
      this.#client.query(api.console.audit.list, { session, paginationOpts, subject }),
    );
    return rows.toReversed().map(({ at, action, detail }) => {
      return { second: Math.round((at - this.#from) / 1_000), action, detail: detail ?? "" };
    });
  }

  /** The devices with their events, and how their last attempts at jobs ended. */
  async devicesWithEvents() {
    return await Promise.all(
      (await this.devices()).map(async ({ deviceId, ...device }) => {
        const [attempts, events] = await Promise.all([
          this.#client.query(api.console.devices.outcomes, { session: this.#session, deviceId }),
          this.#eventsOf(deviceId),
        ]);
        return { ...device, attempts, events };
      }),
    );
  }

  /** `unchecked`: no replay could test its last answer. */
  async devices() {
    const session = this.#session;
    const rows = await listDevices(this.#client, session);
    return await Promise.all(
      rows.map(async ({ deviceId, name, status, pause, earnedMicro }) => {
        const { models } = await this.#client.query(checks.standings, { session, deviceId, now: Date.now() });
        const [first] = models;
        const counts = first?.counts ?? {};
        const unchecked = first?.unchecked ?? false;
        const answers = this.answered(name);
        return { deviceId, name, status, pause, earnedMicro, answers, counts, unchecked };
      }),
    );
  }
}

async function allPages<Row>(
  pageAt: (options: PaginationOptions) => Promise<PaginationResult<Row>>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let cursor: string | null = null; ;) {
    const { page, isDone, continueCursor } = await pageAt({ numItems: 50, cursor });
    rows.push(...page);
    if (isDone) return rows;
    cursor = continueCursor;
  }
}
