import type { WrongKeyError } from "../../connection/pinned-connection.ts";
import type { Log } from "../../log.ts";

/** Whether the backend has the pinned key, as of the last connection. */
export class ServerKey {
  readonly #log: Log;
  #onChange = (): void => undefined;
  #found: string | null = null;

  constructor(log: Log) {
    this.#log = log;
  }

  get isWrong(): boolean {
    return this.#found !== null;
  }

  onChange(listener: () => void): void {
    this.#onChange = listener;
  }

  /** Takes the outcome of a handshake. The log has each wrong key once. */
  seen(key: "right" | WrongKeyError): void {
    const found = key === "right" ? null : key.found;
    if (found === this.#found) return;
    this.#found = found;
    if (found !== null) this.#log("error", "backend.wrong-key", { found, sent: "nothing" });
    this.#onChange();
  }
}
