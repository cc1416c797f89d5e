import type { Farm } from "../../launch/farm/farm.ts";
import { within } from "./within.ts";

/** Throws unless the backend still runs and answers. */
export async function checkHealth({ backend }: Farm): Promise<void> {
  const { status } = await within("/health", fetch(`${backend.url}/health`));
  if (status !== 200) throw new Error(`/health answered ${status}`);
}

/** Throws if credits appeared or disappeared, or if a job was paid twice or too early. Jobs may be waiting. */
export async function checkLedger({ setup }: Farm): Promise<void> {
  const { sum, jobs } = await setup.ledgerCheck();
  if (sum !== 0n) throw new Error(`the ledger sums to ${sum}`);
  if (jobs.settledTwice + jobs.settledEarly > 0)
    throw new Error(`wrong settlements: ${JSON.stringify(jobs)}`);
}
