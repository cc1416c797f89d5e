import { refusalOf, type Unsubscribe } from "@gleaner/queue/worker";
import { ConvexClient } from "convex/browser";
import type { FunctionArgs, FunctionReturnType } from "convex/server";
import { ConvexError } from "convex/values";
import type { ComfortHour } from "../../../app/comfort/hour.ts";
import type { HistoryFilter } from "../../../app/contract/past-jobs.ts";
import type { HistoryRow } from "../../../app/contract/snapshot.ts";
import { allowsModel, type DeviceLimits } from "../../../app/devices/limits.ts";
import { visibleText } from "../../../app/format/visible.ts";
import {
  type ModelPieces,
  modelPieces,
  type OfferedModel,
  offeredModel,
} from "../../../app/models/catalog-entry.ts";
import type { ModelState } from "../../../app/models/states.ts";
import type { DonateReason } from "../../../app/policy/declare/activity.ts";
import type { StandbyReason } from "../../../app/policy/reasons.ts";
import type { DeviceTotals } from "../../../app/policy/replay/totals.ts";
import type { OrganizationRules } from "../../../app/policy/rule-layers.ts";
import { readOrganizationRules } from "../../../app/policy/rule-schemas.ts";
import { api } from "../../../convex/_generated/api.js";
import type { Id } from "../../../convex/_generated/dataModel.js";
import { errorName, type Log } from "../../log.ts";
import type { CatalogTrust } from "./catalog-trust.ts";
import type { Identity } from "./identity.ts";

type Answer = FunctionReturnType<typeof api.devices.enroll>;

/** A retired device gets no answer but a refusal. */
export type EnrollOutcome = Answer | { readonly kind: "refused"; readonly reason: "retired" };

/** The part of a model that jobs need. */
export type OrganizationModel = Pick<OfferedModel, "modelId" | "sha256" | "sizeBytes" | "contextTokens"> &
  Partial<Pick<OfferedModel, "template">>;

/** `sharing` is the secret by which devices recognize each other in an office. If it is null, nothing is shared. */
export type Me = Pick<
  FunctionReturnType<typeof api.devices.me>,
  "name" | "status" | "sharing" | "signingKey"
> & {
  readonly deviceId: string;
  /** The version that this program needs to get jobs. Null: it is new enough. An older backend does not say it. */
  readonly needsVersion?: string | null;
  /** The version that this program is asked to be updated to. An older backend does not say it. */
  readonly askedVersion?: string | null;
  /** Set while a person keeps it paused in the console. An older backend does not say it. */
  readonly requestedPause?: FunctionReturnType<typeof api.devices.me>["requestedPause"];
  /** The limits that the organization sets for this device. An older backend does not say it. */
  readonly limits?: DeviceLimits | null;
  /** The newest version of signed results that the backend accepts. An older backend does not say it: 1. */
  readonly resultVersion?: number;
  /** The names of the models that a roll-out in stages holds back from this device. */
  readonly heldBack: readonly string[];
  /** Null for a retired device. */
  readonly organizationName: string | null;
  readonly models: readonly OfferedModel[];
  /** The rules that the organization sets and locks on this device. */
  readonly policy: OrganizationRules;
};

/**
 * Whether the device may say hello to the queue. One that is paused or has too old a version may: the backend takes it back
 * when it says its new version. A status that this version does not know counts as out of service.
 */
export function isInService(me: Pick<Me, "status"> | null): boolean {
  return me !== null && ["active", "paused", "outdated"].includes(me.status);
}

type Earnings = FunctionReturnType<typeof api.devices.earnings>;

type HistoryArgs = FunctionArgs<typeof api.devices.history>;

/** The jobs that one page of the history asks for. The queue gives no more at once. */
const pageRows = 100;

/** The donor's activity for the organization. The backend sees the time itself. */
export type ReportedActivity =
  | { readonly kind: "donating"; readonly reason: DonateReason }
  | { readonly kind: "standby"; readonly reason: StandbyReason };

/** A device's report about itself. */
export type DeviceReport = {
  readonly activity: ReportedActivity;
  /** The names of facts that this computer cannot tell. If left out, the last report stays. */
  readonly unknownFacts?: readonly string[];
  /** The newer version that was rolled back here. Backends of earlier versions refuse this field, so most reports have none. */
  readonly rolledBackVersion?: string;
};

/** A model's state on this device, for the organization. Speeds are in tokens per second. */
export type ReportedModel = {
  readonly modelId: string;
  readonly state: ModelState;
  readonly downloadedBytes?: number;
  readonly why?: string;
  readonly speed?: { readonly prefill: number; readonly generate: number; readonly backend: string };
};

/**
 * A device's calls to its organization, besides jobs. Calls wait for a connection and are repeated after an
 * interruption. They reject if the backend refuses them, with UnknownWorkerError if it does not know the key.
 */
export type Organization = {
  enroll(code: string, name: string, platform: string): Promise<EnrollOutcome>;
  /** Takes this device out of the organization, for good. */
  leave(): Promise<void>;
  /** Registers this device's signing key, once. */
  registerSigningKey(): Promise<void>;
  report(report: DeviceReport): Promise<void>;
  /** Reports the state of all models: on transitions, and at most every 30 s during downloads. */
  reportModels(models: readonly ReportedModel[]): Promise<void>;
  /** Reports measured hours of donation, oldest first. An older backend refuses the call. */
  reportComfort(hours: readonly ComfortHour[]): Promise<void>;
  /** Resolves to the hashes of a file's pieces. Null if the organization has none, or they are invalid or not signed. */
  modelPieces(sha256: string): Promise<ModelPieces | null>;
  /** Hears the drafts of rules that this device is asked to replay. */
  onPreviews(listener: (previews: readonly PreviewRequest[]) => void): Unsubscribe;
  /** @param totals null: this device has recorded nothing yet. */
  answerPreview(previewId: string, totals: DeviceTotals | null): Promise<void>;
  onMe(listener: (me: Me) => void, onError: (error: unknown) => void): Unsubscribe;
  onEarnings(since: number, listener: (earnings: Earnings) => void): Unsubscribe;
  onHistory(rows: number, listener: (history: readonly HistoryRow[]) => void): Unsubscribe;
  /** The device's earnings by day. */
  earningsByDay(): Promise<FunctionReturnType<typeof api.devices.earningsByDay>>;
  /** A page of the device's jobs, newest first. @param cursor null: the first page. */
  historyPage(
    filter: HistoryFilter,
    cursor: string | null,
  ): Promise<FunctionReturnType<typeof api.devices.history>>;
};

/** A draft of all the organization's rules for this device. It answers at a random moment within `spreadMs`. */
export type PreviewRequest = {
  readonly previewId: string;
  readonly rules: OrganizationRules;
  readonly spreadMs: number;
};

/** Opens one WebSocket to the backend. The client reconnects by itself. */
export function openClient(url: string, webSocketConstructor?: typeof WebSocket): ConvexClient {
  return new ConvexClient(url, {
    // A self-hosted deployment can have any address.
    skipConvexDeploymentUrlCheck: true,
    unsavedChangesWarning: false,
    logger: false,
    ...(webSocketConstructor === undefined ? {} : { webSocketConstructor }),
  });
}

export function connectOrganization(
  client: ConvexClient,
  { deviceKey: key, signer }: Pick<Identity, "deviceKey" | "signer">,
  trust: Pick<CatalogTrust, "judge" | "accepts">,
  log: Log,
): Organization {
  const failed =
    (query: string) =>
    (error: Error): void =>
      log("warn", "backend.query-failed", { query, error: errorName(refusalOf(error)) });
  return {
    enroll: async (code, name, platform) => {
      const signingKey = signer.registration(key);
      const asked = client.mutation(api.devices.enroll, { code, key, name, platform, signingKey });
      const outcome: EnrollOutcome = await asked.catch(retiredOutcome);
      return outcome.kind === "refused"
        ? outcome
        : { ...outcome, organization: visibleText(outcome.organization) };
    },
    leave: () => told(client.mutation(api.devices.leave, { key })),
    registerSigningKey: async () => {
      await client.mutation(api.devices.registerSigningKey, { key, signingKey: signer.registration(key) });
    },
    report: ({ activity, unknownFacts, rolledBackVersion }) => {
      // The backend stores standby as "holding".
      const sent = activity.kind === "donating" ? activity : { ...activity, kind: "holding" as const };
      const report = {
        activity: sent,
        ...(unknownFacts === undefined ? {} : { unknownFacts: [...unknownFacts] }),
        ...(rolledBackVersion === undefined ? {} : { rolledBackVersion }),
      };
      return told(client.mutation(api.devices.report, { key, ...report }));
    },
    reportModels: (models) => told(client.mutation(api.devices.reportModels, { key, models: [...models] })),
    reportComfort: (hours) => told(client.mutation(api.devices.reportComfort, { key, hours: [...hours] })),
    modelPieces: async (sha256) => {
      const parsed = modelPieces
        .nullable()
        .safeParse(await client.query(api.devices.modelPieces, { key, sha256 }));
      if (!parsed.success || parsed.data === null) return null;
      return trust.accepts(sha256, parsed.data) ? parsed.data : null;
    },
    onPreviews: (listener) =>
      client.onUpdate(
        api.devices.policyPreviews,
        { key },
        (previews) =>
          listener(
            previews.map(({ rules, ...asked }) => ({ ...asked, rules: readOrganizationRules(rules) })),
          ),
        failed("devices.policyPreviews"),
      ),
    answerPreview: async (previewId, answer) => {
      const id = previewId as Id<"policyPreviews">;
      await client.mutation(api.devices.answerPreview, { key, previewId: id, answer });
    },
    onMe: (listener, onError) =>
      client.onUpdate(
        api.devices.me,
        { key },
        ({ organization, models, heldBack, catalog, policy, ...me }) => {
          const later = namesIn(heldBack);
          const offered = { organizationId: organization.id, models, signature: catalog };
          listener({
            ...me,
            name: visibleText(me.name),
            organizationName: organization.name === "" ? null : visibleText(organization.name),
            heldBack: later.map(visibleText),
            // Other devices get no models to judge.
            models: isInService(me)
              ? understood(trust.judge(offered), log).filter(
                  ({ modelId }) => allowsModel(me.limits ?? {}, modelId) && !later.includes(modelId),
                )
              : [],
            policy: readOrganizationRules(policy),
          });
        },
        (error) => onError(refusalOf(error)),
      ),
    onEarnings: (since, listener) =>
      client.onUpdate(api.devices.earnings, { key, since }, listener, failed("devices.earnings")),
    onHistory: (rows, listener) => {
      const paginationOpts = { numItems: rows, cursor: null };
      return client.onUpdate(
        api.devices.history,
        { key, paginationOpts },
        ({ page }) => listener(page),
        failed("devices.history"),
      );
    },
    earningsByDay: () => client.query(api.devices.earningsByDay, { key }),
    historyPage: (filter, cursor) => {
      const paginationOpts = { numItems: pageRows, cursor };
      // The client sends no field that is undefined. An older backend knows no filter.
      const wanted = filter as HistoryArgs["filter"];
      const filtered = wanted === undefined || Object.keys(wanted).length === 0 ? {} : { filter: wanted };
      return client.query(api.devices.history, { key, paginationOpts, ...filtered });
    },
  };
}

/** Resolves when the backend has done what it was told. Rejects with a refusal that the donor knows. */
async function told(asked: Promise<unknown>): Promise<void> {
  try {
    await asked;
  } catch (error) {
    throw refusalOf(error);
  }
}

/** The names in a list from outside. An older backend sends no list. */
function namesIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((name) => typeof name === "string") : [];
}

/** Rethrows any other error. */
function retiredOutcome(error: unknown): EnrollOutcome {
  const data: unknown = error instanceof ConvexError ? error.data : null;
  if ((data as { readonly code?: unknown } | null)?.code !== "retired") throw error;
  return { kind: "refused", reason: "retired" };
}

/**
 * Parses the models and skips those that this version does not understand. Their addresses and hashes come
 * from outside.
 */
function understood(models: readonly unknown[], log: Log): readonly OfferedModel[] {
  return models.flatMap((model) => {
    const parsed = offeredModel.safeParse(model);
    if (parsed.success) return [parsed.data];
    log("warn", "model.not-understood", { field: parsed.error.issues[0]?.path.join(".") ?? "" });
    return [];
  });
}
