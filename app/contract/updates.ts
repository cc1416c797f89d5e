import type { UpdateChannel } from "../signatures/release.ts";

/** Why a program does not update itself. */
export type UpdatesOff =
  /** The package names no server. */
  | "not-configured"
  /** The package has no key, so no release can be verified. */
  | "no-key"
  /** A package manager, the management of the computer, or an administrator installs new versions. */
  | "managed"
  /** It is no installed program, or another program starts it. */
  | "not-installed"
  /** The rule "Update Gleaner" is off. */
  | "rule";

/** Why the last look found nothing, or what it found was not taken. */
export type UpdateProblem = "unreachable" | "not-signed" | "not-downloaded";

/** The updates of the desktop program, as its person sees them. */
export type UpdatesView =
  | { readonly kind: "off"; readonly why: UpdatesOff }
  | {
      readonly kind: "on";
      readonly channel: UpdateChannel;
      /** The last look that reached the server, in ms since the epoch. */
      readonly lookedAt: number | null;
      readonly problem: UpdateProblem | null;
      /** A newer version. `ready`: it is here, verified, and installed when nobody is disturbed. */
      readonly next: { readonly version: string; readonly state: "downloading" | "ready" } | null;
      /** Whether a ready version is installed without a click. */
      readonly byItself: boolean;
      /** A version that did not work here. It is not tried again. */
      readonly rolledBack: string | null;
    };
