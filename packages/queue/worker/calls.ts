import type { BaseConvexClient, ConvexClient } from "convex/browser";
import type { FunctionReference } from "convex/server";
import type { WorkerFunctions } from "./protocol.ts";
import { refusalOf, UnknownWorkerError } from "./refusal.ts";

/** What a worker needs of a `ConvexClient`. */
export type WorkerClient = Pick<ConvexClient, "mutation" | "onUpdate"> & {
  readonly client: Pick<BaseConvexClient, "connectionState" | "subscribeToConnectionState">;
};

export type Unsubscribe = () => void;

type Name<Type extends "mutation" | "query"> = {
  [N in keyof WorkerFunctions]: WorkerFunctions[N] extends FunctionReference<Type> ? N : never;
}[keyof WorkerFunctions];
type Args<N extends keyof WorkerFunctions> = Omit<WorkerFunctions[N]["_args"], "key">;
type Result<N extends keyof WorkerFunctions> = WorkerFunctions[N]["_returnType"];

/**
 * The queue's functions under this worker's key. Calls wait while there is no connection and are sent again after a
 * cut; they reject when the queue refuses them, with UnknownWorkerError where the key is the reason. Once a call has
 * resolved, subscriptions show its effects.
 */
export class Calls {
  readonly #client: WorkerClient;
  readonly #functions: WorkerFunctions;
  readonly #key: string;
  readonly #onUnknown: () => void;
  #lastSaidAt = 0;

  constructor(client: WorkerClient, functions: WorkerFunctions, key: string, onUnknown: () => void) {
    this.#client = client;
    this.#functions = functions;
    this.#key = key;
    this.#onUnknown = onUnknown;
  }

  /** When anything was last sent, of `performance.now()`: any call renews the lease. */
  get lastSaidAt(): number {
    return this.#lastSaidAt;
  }

  async say<N extends Name<"mutation">>(name: N, args: Args<N>): Promise<Result<N>> {
    this.#lastSaidAt = performance.now();
    try {
      return await this.#client.mutation(this.#functions[name], this.#signed(args));
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal instanceof UnknownWorkerError) this.#onUnknown();
      throw refusal;
    }
  }

  follow<N extends Name<"query">>(
    name: N,
    args: Args<N>,
    onValue: (value: Result<N>) => void,
    onError: (error: unknown) => void,
  ): Unsubscribe {
    return this.#client.onUpdate(
      this.#functions[name],
      this.#signed(args),
      (value) => onValue(value as Result<N>),
      (error) => {
        const refusal = refusalOf(error);
        if (refusal instanceof UnknownWorkerError) this.#onUnknown();
        onError(refusal);
      },
    );
  }

  // The key is what each function's arguments have beside these: TypeScript does not see that of a generic one.
  #signed(args: object): never {
    return { ...args, key: this.#key } as never;
  }
}
