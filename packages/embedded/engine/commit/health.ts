import { EngineClosedError, type EngineFailedError } from "../model/errors.ts";

type State =
  | { readonly kind: "usable" }
  | { readonly kind: "failed"; readonly error: EngineFailedError }
  | { readonly kind: "closed" };

/** Whether the engine may be used. A failure is permanent; every later caller gets that error. */
export class Health {
  #state: State = { kind: "usable" };
  readonly #onFailed: (error: EngineFailedError) => void;

  constructor(onFailed: (error: EngineFailedError) => void = () => undefined) {
    this.#onFailed = onFailed;
  }

  get isUsable(): boolean {
    return this.#state.kind === "usable";
  }

  assertUsable(): void {
    if (this.#state.kind === "failed") throw this.#state.error;
    if (this.#state.kind === "closed") throw new EngineClosedError();
  }

  fail(error: EngineFailedError): void {
    if (!this.isUsable) return;
    this.#state = { kind: "failed", error };
    this.#onFailed(error);
  }

  close(): void {
    if (this.isUsable) this.#state = { kind: "closed" };
  }
}
