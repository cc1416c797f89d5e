import type { Engine } from "../engine/model/types.ts";

export type Readiness =
  { readonly kind: "ready" } | { readonly kind: "not ready"; readonly reasons: readonly string[] };

type Phase = "starting" | "running" | "stopping";

/** Whether requests should be sent here: for load balancers and whoever watches over the process. */
export class ReadinessProbe {
  #phase: Phase = "starting";
  #engine: Engine | null = null;

  /** Everything is loaded: the engine decides from now on. */
  started(engine: Engine): void {
    this.#engine = engine;
    this.#phase = "running";
  }

  stopping(): void {
    this.#phase = "stopping";
  }

  get(): Readiness {
    const reasons = [...this.#phaseReasons(), ...this.#engineReasons()];
    return reasons.length === 0 ? { kind: "ready" } : { kind: "not ready", reasons };
  }

  #phaseReasons(): readonly string[] {
    switch (this.#phase) {
      case "starting":
        return ["The functions are not loaded yet."];
      case "stopping":
        return ["The backend is stopping."];
      case "running":
        return [];
    }
  }

  /** An engine whose last flush failed begins no transaction any more. */
  #engineReasons(): readonly string[] {
    if (this.#engine === null) return [];
    try {
      this.#engine.discard(this.#engine.begin());
      return [];
    } catch {
      return ["The database cannot be used; the log says why."];
    }
  }
}
