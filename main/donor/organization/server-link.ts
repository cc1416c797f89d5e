import { type ConnectFailure, connectFailureOf } from "../../connection/connect-failure.ts";
import { WrongKeyError } from "../../connection/pinned-connection.ts";
import type { Log } from "../../log.ts";

/** The outcome of the last attempt to connect to the backend. */
export class ServerLink {
  readonly #log: Log;
  #onChange = (): void => undefined;
  #failure: ConnectFailure | null = null;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Why the last attempt failed. Null if it succeeded, or before the first one. */
  get failure(): ConnectFailure | null {
    return this.#failure;
  }

  onChange(listener: () => void): void {
    this.#onChange = listener;
  }

  /** Takes the outcome of an attempt. The log has the same failure once. */
  seen(error: Error | null): void {
    const failure = error === null ? null : connectFailureOf(error);
    if (JSON.stringify(failure) === JSON.stringify(this.#failure)) return;
    this.#failure = failure;
    if (error instanceof WrongKeyError) {
      this.#log("error", "backend.wrong-key", { found: error.found, sent: "nothing" });
    } else if (failure !== null) this.#log("warn", "backend.not-reached", { ...failure });
    this.#onChange();
  }
}
