import { ConvexClient } from "convex/browser";
import { getFunctionName } from "convex/server";
import type { Call } from "../side.ts";

/** Convex's client, which reports how its mutations end and how many are in flight. */
export class CountingClient extends ConvexClient {
  readonly #onEnd: (call: Call) => void;
  #pending = 0;

  constructor(url: string, onEnd: (call: Call) => void) {
    super(url, { logger: false, unsavedChangesWarning: false });
    this.#onEnd = onEnd;
  }

  get isQuiet(): boolean {
    return this.#pending === 0 && this.connectionState().isWebSocketConnected;
  }

  override async mutation(
    ...[reference, args, options]: Parameters<ConvexClient["mutation"]>
  ): ReturnType<ConvexClient["mutation"]> {
    const name = getFunctionName(reference);
    this.#pending += 1;
    try {
      const value: unknown = await super.mutation(reference, args, options);
      this.#onEnd({ name, value, error: null });
      return value;
    } catch (error) {
      this.#onEnd({ name, value: null, error: error instanceof Error ? error.message : String(error) });
      throw error;
    } finally {
      this.#pending -= 1;
    }
  }
}
