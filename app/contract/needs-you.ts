import { assertNever } from "../assert-never.ts";
import { hasToJoinAgain, type StandbyReason, standbyReasons } from "../policy/reasons.ts";
import type { DonorProblem } from "./membership.ts";
import type { PanelTab } from "./panel-page.ts";
import type { DonorSnapshot } from "./snapshot.ts";

/** Something that only a person can mend. Until then this computer donates nothing. */
export type NeedsYou = {
  /** Says what is needed, in one sentence. */
  readonly sentence: string;
  /** The place in the panel that mends it, or that has what an administrator needs to mend it. */
  readonly action: { readonly label: string; readonly tab: PanelTab };
};

type Membership = Pick<DonorSnapshot, "activity" | "rules"> & {
  readonly ruleLayers: { readonly from: Pick<DonorSnapshot["ruleLayers"]["from"], "allowLeave"> };
};

type Shown = Membership & Partial<Pick<DonorSnapshot, "problem" | "organization" | "updates">>;

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
export function wayOut(snapshot: Shown): NeedsYou["action"] | null {
  if (snapshot.activity.reason === "retired") return rejoining(snapshot);
  return needsYou(snapshot)?.action ?? null;
}

/**
 * Whether this computer may leave its organization. One that was retired or has to join again may, also where the organization
 * locks its computers in: it would get no job anymore. Managed settings would make it join again at once.
 */
export function mayLeave({ activity, rules, ruleLayers }: Membership): boolean {
  return (
    rules.allowLeave || (hasToJoinAgain(activity.reason) && ruleLayers.from.allowLeave === "organization")
  );
}

const join = { label: "Join your organization…", tab: "now" } as const;
const rejoin = { label: "Leave and join again…", tab: "settings" } as const;
const updates = { label: "See updates…", tab: "about" } as const;
const disk = { label: "See the disk space of models…", tab: "models" } as const;
/** The page has the diagnostics. */
const details = { label: "Show details for your administrator…", tab: "about" } as const;

function rejoining(snapshot: Shown): NeedsYou["action"] {
  return mayLeave(snapshot) ? rejoin : details;
}

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
        action: details,
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

function reasonNeeds(reason: StandbyReason, snapshot: Shown): NeedsYou | null {
  const { organization = null } = snapshot;
  const sentence = standbyReasons[reason].brief;
  switch (reason) {
    case "not-enrolled":
      return { sentence, action: join };
    case "other-key":
      return { sentence, action: rejoining(snapshot) };
    case "wrong-server":
      return { sentence, action: details };
    case "disk-full":
      return { sentence, action: disk };
    case "outdated": {
      const version = organization?.needsVersion;
      // A program that does not update itself has no page of updates that helps.
      const action = snapshot.updates?.kind === "on" ? updates : details;
      return version == null
        ? { sentence, action }
        : { sentence: `Gleaner needs an update to ${version} before it can donate again.`, action };
    }
    case "no-model":
      return organization?.problem == null
        ? null
        : {
            sentence: "Gleaner refused your organization’s list of models, so tell your administrator.",
            action: details,
          };
    default:
      return null;
  }
}
