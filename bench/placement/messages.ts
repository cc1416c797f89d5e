import type { WorkerSpeed } from "./trace.ts";

/** Messages to the process of workers. `freeze`: the next job that starts is never finished by its worker. */
export type ToPacedFleet =
  | {
      readonly kind: "start";
      readonly url: string;
      readonly workers: readonly { readonly key: string; readonly speed: WorkerSpeed }[];
    }
  | { readonly kind: "freeze" };

/** Messages from the process of workers. Times are of the clock of `sharedNow`, ms. */
export type FromPacedFleet =
  | { readonly kind: "begun" }
  | { readonly kind: "freezing" }
  | { readonly kind: "ended"; readonly number: number; readonly at: number };
