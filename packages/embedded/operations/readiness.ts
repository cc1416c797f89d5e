import type { Engine } from "../engine/model/types.ts";

type Readiness =
  { readonly kind: "ready" } | { readonly kind: "not ready"; readonly reasons: readonly string[] };

type Phase = "starting" | "waiting" | "running" | "stopping";

/** Tells load balancers and supervisors whether to send requests here. */
export class ReadinessProbe {
  #phase: Phase = "starting";
  #engine: Engine | null = null;
  #problem: () => string | null = () => null;

  /** Call it when everything is loaded. From then on readiness depends on the engine. */
  started(engine: Engine): void {
    this.#engine = engine;
    this.#phase = "running";
  }

  /** Call it if the functions cannot be loaded yet. @param problem why. */
  waiting(problem: () => string | null): void {
    this.#problem = problem;
    this.#phase = "waiting";
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
      case "waiting":
        return [this.#problem() ?? "The functions are not loaded yet."];
      case "stopping":
        return ["The backend is stopping."];
      case "running":
        return [];
    }
  }

  /** An engine begins no transaction after its last flush failed. */
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
