import { join } from "node:path";
import { ConvexClient } from "convex/browser";
import type { Payload, Side, SideName } from "../side.ts";
import { startEmbedded } from "../support/embedded.ts";
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
  readonly #stop: () => Promise<void>;
  readonly #fleets: Fleet[] = [];
  #registered = 0;

  private constructor(name: SideName, side: Side, url: string, stop: () => Promise<void>) {
    this.name = name;
    this.side = side;
    this.url = url;
    this.#stop = stop;
    this.client = this.connect();
  }

  /** The backend's file goes to `folder`. */
  static async start(name: SideName, folder: string, latency: Latency): Promise<Site> {
    const side = await sides[name]();
    const file = join(folder, `${name}-${String(process.hrtime.bigint())}.sqlite3`);
    const { url, stop } = await startEmbedded(file, { functions: side.functions, latency });
    return new Site(name, side, url, stop);
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

  async stop(): Promise<void> {
    await Promise.all(this.#fleets.map((fleet) => fleet.stop()));
    await this.client.close();
    await this.#stop();
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
