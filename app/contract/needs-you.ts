import { assertNever } from "../assert-never.ts";
import { type StandbyReason, standbyReasons } from "../policy/reasons.ts";
import type { DonorProblem } from "./membership.ts";
import type { PanelTab } from "./panel-page.ts";
import type { DonorSnapshot } from "./snapshot.ts";

/** Something that only a person can mend. Until then this computer donates nothing. */
export type NeedsYou = {
  /** Says what is needed, in one sentence. */
  readonly sentence: string;
  /** The place in the panel that mends it. Null: the panel can only say more about it. */
  readonly action: { readonly label: string; readonly tab: PanelTab } | null;
};

type Shown = Pick<DonorSnapshot, "activity" | "rules"> &
  Partial<Pick<DonorSnapshot, "problem" | "organization">>;

/** This computer's need of its person. Null if it donates, or if its standby ends without them. */
export function needsYou(snapshot: Shown): NeedsYou | null {
  const { activity, problem = null } = snapshot;
  // A person who paused Gleaner wants it to rest.
  if (activity.kind === "donating" || activity.reason === "paused-by-you") return null;
  if (problem !== null) return problem.remedy === "wait" ? null : problemNeeds(problem.kind, snapshot);
  return reasonNeeds(activity.reason, snapshot);
}

/**
 * The place in the panel that changes this computer's state. Also of a retired computer, which needs nothing of its person,
 * but may join again.
 */
export function wayOut(snapshot: Shown): NeedsYou["action"] {
  if (snapshot.activity.reason === "retired") return snapshot.rules.allowLeave ? rejoin : null;
  return needsYou(snapshot)?.action ?? null;
}

const join = { label: "Join your organization…", tab: "now" } as const;
const rejoin = { label: "Leave and join again…", tab: "settings" } as const;

function problemNeeds(kind: DonorProblem["kind"], snapshot: Shown): NeedsYou | null {
  switch (kind) {
    case "code-refused":
      return {
        sentence: "Gleaner needs another enrollment code, because this one was refused.",
        action: join,
      };
    case "identity-damaged":
      return { sentence: "Gleaner needs a new enrollment code, because its file was damaged.", action: join };
    case "untrusted-server":
    case "other-name":
      return {
        sentence: "Gleaner cannot trust your organization’s server, so tell your administrator.",
        action: null,
      };
    case "wrong-server":
    case "other-key":
      return reasonNeeds(kind, snapshot);
    case "no-backend":
    case "unreachable":
      // Gleaner keeps trying.
      return null;
    default:
      return assertNever(kind);
  }
}

function reasonNeeds(
  reason: StandbyReason,
  { rules, organization = null }: Pick<Shown, "rules" | "organization">,
): NeedsYou | null {
  const sentence = standbyReasons[reason].brief;
  switch (reason) {
    case "not-enrolled":
      return { sentence, action: join };
    case "other-key":
      return { sentence, action: rules.allowLeave ? rejoin : null };
    case "wrong-server":
    case "disk-full":
      return { sentence, action: null };
    case "outdated": {
      const version = organization?.needsVersion;
      return version == null
        ? { sentence, action: null }
        : { sentence: `Gleaner needs an update to ${version} before it can donate again.`, action: null };
    }
    case "no-model":
      return organization?.problem == null
        ? null
        : {
            sentence: "Gleaner refused your organization’s list of models, so tell your administrator.",
            action: null,
          };
    default:
      return null;
  }
}
