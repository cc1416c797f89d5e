import { UnknownWorkerError } from "@gleaner/queue/worker";
import { ok, refusedFor, type Reply } from "../../../app/contract/donor-calls.ts";
import type { Departure } from "../../../app/contract/leaving.ts";
import type { DonorHandlers } from "../../face/answer-call.ts";
import { errorName, type Log } from "../../log.ts";

type LeaveDeps = {
  /** The organization's name. Null if this computer belongs to none. */
  readonly organization: () => string | null;
  /** This computer's name there. */
  readonly device: () => string;
  /** Gives the jobs back and ends the donor's work. Nothing is stored afterward. */
  readonly halt: () => Promise<void>;
  /** Tells the organization. Waits for a connection. */
  readonly tell: () => Promise<void>;
  /** Removes the donor's files. Returns the names that could not be removed. */
  readonly erase: () => Promise<readonly string[]>;
  readonly onLeft: (departure: Departure) => void;
  readonly log: Log;
};

/** A connected server answers in milliseconds. One that is not reached by then is not told. */
const tellWithinMs = 4_000;

/** Takes this computer out of its organization. */
export class Deregistration {
  readonly #deps: LeaveDeps;
  #leaving: Promise<Departure> | null = null;

  constructor(deps: LeaveDeps) {
    this.#deps = deps;
  }

  /** Never rejects. The shell hears of it after the caller. */
  async leave(): Promise<Reply<Departure>> {
    const organization = this.#deps.organization();
    if (organization === null) return refusedFor("no-organization");
    return ok(await (this.#leaving ??= this.#leave(organization)));
  }

  /** Refuses what would store something again, once this computer is leaving. */
  guarded(handlers: DonorHandlers): DonorHandlers {
    const guarded = Object.entries(handlers).map(([name, handle]) => [
      name,
      harmless.has(name)
        ? handle
        : (...call: unknown[]) =>
            this.#leaving === null
              ? (handle as (...call: unknown[]) => unknown)(...call)
              : refusedFor("leaving"),
    ]);
    return Object.fromEntries(guarded) as DonorHandlers;
  }

  async #leave(organization: string): Promise<Departure> {
    const { device, halt, erase, onLeft, log } = this.#deps;
    log("info", "organization.leaving");
    await halt().catch((error: unknown) => log("error", "leave.not-halted", { error: errorName(error) }));
    const isTold = await this.#tell();
    const kept = [...(await erase())];
    const departure = { organization, device: device(), isTold, kept };
    log("info", "organization.left", { isTold, kept: kept.join() });
    // The reply goes out first.
    setImmediate(onLeft, departure);
    return departure;
  }

  async #tell(): Promise<boolean> {
    const { tell, log } = this.#deps;
    const told = tell().then(
      () => true,
      (error: unknown) => {
        log("warn", "leave.not-told", { error: errorName(error) });
        // An organization that does not know this device need not be told.
        return error instanceof UnknownWorkerError;
      },
    );
    const late = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => late.resolve(false), tellWithinMs);
    const isTold = await Promise.race([told, late.promise]);
    clearTimeout(timer);
    return isTold;
  }
}

const harmless: ReadonlySet<string> = new Set(["getSnapshot", "status", "leave", "quit"]);
