import { ConvexClient, type ConvexHttpClient } from "convex/browser";
import type { FunctionReturnType } from "convex/server";
import { spellSeconds } from "../../app/format/time.ts";
import { api } from "../../convex/_generated/api.js";
import { makeSecret } from "../organization/secrets.ts";

export type DeviceRow = FunctionReturnType<typeof api.console.devices.get>;
export type JobRow = FunctionReturnType<typeof api.console.jobs.list>["page"][number];

/** A farm and a test have no more devices than a page. */
const firstPage = { order: "enrolled" as const, paginationOpts: { numItems: 50, cursor: null } };

/** All devices, in the order of their enrollment. */
export async function listDevices(
  client: Pick<ConvexHttpClient, "query"> | Pick<ConvexClient, "query">,
  session: string,
): Promise<readonly DeviceRow[]> {
  const { page } = await client.query(api.console.devices.list, { session, ...firstPage });
  return await Promise.all(
    page.map(({ deviceId }) => client.query(api.console.devices.get, { session, deviceId })),
  );
}

/** An admin, signed in with the one-time token. Sees the same data as the console. */
export class Watcher {
  readonly #client: ConvexClient;
  readonly #session = makeSecret("gs_");

  private constructor(url: string) {
    this.#client = new ConvexClient(url, { logger: false });
  }

  static async signIn(url: string, token: string): Promise<Watcher> {
    const watcher = new Watcher(url);
    const answer = await watcher.#client.mutation(api.console.account.signIn, {
      token,
      session: watcher.#session,
    });
    if (answer.kind !== "signed-in")
      throw new Error(`the sign-in link was refused: ${JSON.stringify(answer)}`);
    return watcher;
  }

  /** Resolves when the predicate holds for the live list of devices. Rejects after `withinMs`. */
  async untilDevices(holds: (devices: readonly DeviceRow[]) => boolean, withinMs: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<null>();
    const timer = setTimeout(
      () =>
        reject(new Error(`the devices did not change as expected within ${spellSeconds(withinMs / 1_000)}`)),
      withinMs,
    );
    const session = this.#session;
    const rows = new Map<string, DeviceRow>();
    const stops = new Map<string, () => void>();
    const follow = (deviceId: DeviceRow["deviceId"]): (() => void) =>
      this.#client.onUpdate(
        api.console.devices.get,
        { session, deviceId },
        (row) => {
          rows.set(deviceId, row);
          if (holds([...rows.values()])) resolve(null);
        },
        reject,
      );
    const stop = this.#client.onUpdate(
      api.console.devices.list,
      { session, ...firstPage },
      ({ page }) => {
        for (const { deviceId } of page) if (!stops.has(deviceId)) stops.set(deviceId, follow(deviceId));
      },
      reject,
    );
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      stop();
      for (const end of stops.values()) end();
    }
  }

  async devices(): Promise<readonly DeviceRow[]> {
    return await listDevices(this.#client, this.#session);
  }

  /** The latest jobs, at most `count`. */
  async jobs(count: number): Promise<readonly JobRow[]> {
    const jobs: JobRow[] = [];
    let cursor: string | null = null;
    while (jobs.length < count) {
      const paginationOpts = { numItems: Math.min(100, count - jobs.length), cursor };
      const page: FunctionReturnType<typeof api.console.jobs.list> = await this.#client.query(
        api.console.jobs.list,
        {
          session: this.#session,
          paginationOpts,
        },
      );
      jobs.push(...page.page);
      if (page.isDone) break;
      cursor = page.continueCursor;
    }
    return jobs;
  }

  async summary(): Promise<FunctionReturnType<typeof api.console.overview.summary>> {
    return this.#client.query(api.console.overview.summary, { session: this.#session });
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}
