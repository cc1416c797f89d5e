import { join } from "node:path";
import { ConvexClient } from "convex/browser";
import type { Payload, Side, SideName } from "../side.ts";
import type { BackendProcess } from "../support/backend-process.ts";
import { startEmbedded } from "../support/embedded.ts";
import { type ProcessorTime, processorTime } from "../support/processor-time.ts";
import { between, type Usage, usageOf } from "../support/usage.ts";
import { Fleet, type FleetEvents } from "./fleet.ts";
import { sides } from "./sides.ts";

/** Added to each read and each commit, ms. */
export type Latency = { readonly readMs: number; readonly commitMs: number };

/** Latencies of a cloud deployment: a read from the database's memory, a commit to a remote disk. */
export const cloud: Latency = { readMs: 2, commitMs: 10 };
export const none: Latency = { readMs: 0, commitMs: 0 };

/** The workers per call. On a busy machine more could exceed a function's time limit of one second. */
const registeredAtOnce = 20;

/** A backend that serves one side's functions, with a client that submits. */
export class Site {
  readonly url: string;
  readonly side: Side;
  readonly name: SideName;
  readonly client: ConvexClient;
  readonly #backend: BackendProcess;
  readonly #fleets: Fleet[] = [];
  #registered = 0;

  private constructor(name: SideName, side: Side, backend: BackendProcess) {
    this.name = name;
    this.side = side;
    this.url = backend.url;
    this.#backend = backend;
    this.client = this.connect();
  }

  /** The backend's file goes to `folder`. */
  static async start(name: SideName, folder: string, latency: Latency): Promise<Site> {
    const side = await sides[name]();
    const file = join(folder, `${name}-${String(process.hrtime.bigint())}.sqlite3`);
    return new Site(name, side, await startEmbedded(file, { functions: side.functions, latency }));
  }

  connect(): ConvexClient {
    return new ConvexClient(this.url, { logger: false, unsavedChangesWarning: false });
  }

  /** Registers and starts workers, spread over a time (ms). */
  async startWorkers(count: number, events: FleetEvents = {}, spreadMs = 0): Promise<Fleet> {
    const first = this.#registered;
    this.#registered += count;
    const keys = Array.from({ length: count }, (_, n) => `worker-${first + n}-of-the-benchmark`);
    for (let n = 0; n < keys.length; n += registeredAtOnce) {
      await this.side.register(this.client, keys.slice(n, n + registeredAtOnce));
    }
    const fleet = await Fleet.start({ side: this.name, url: this.url, keys, spreadMs, events });
    this.#fleets.push(fleet);
    return fleet;
  }

  submit(payload: Payload): Promise<string> {
    return this.side.submit(this.client, payload);
  }

  /** The backend's counts during some work. */
  async counted(work: () => Promise<void>): Promise<Usage> {
    const before = await usageOf(this.url);
    await work();
    return between(before, await usageOf(this.url));
  }

  /** The processor time so far of the backend, of all workers started here, and of this process. */
  processorTime(): ProcessorTime | null {
    const workers = this.#fleets.flatMap((fleet) => fleet.pids);
    return processorTime({ backend: this.#backend.pid, workers });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#fleets.map((fleet) => fleet.stop()));
    await this.client.close();
    await this.#backend.stop();
  }
}

type Sites = { readonly [Name in SideName]: Site };

/** Runs one side on a separate backend, and stops it afterward. */
export async function withSite<T>(
  name: SideName,
  folder: string,
  latency: Latency,
  work: (site: Site) => Promise<T>,
): Promise<T> {
  const site = await Site.start(name, folder, latency);
  try {
    return await work(site);
  } finally {
    await site.stop();
  }
}

/** Runs both sides, each on a separate backend with the same latencies. */
export function withSites<T>(
  folder: string,
  latency: Latency,
  work: (sites: Sites) => Promise<T>,
): Promise<T> {
  return withSite("ours", folder, latency, (ours) =>
    withSite("baseline", folder, latency, (baseline) => work({ ours, baseline })),
  );
}
