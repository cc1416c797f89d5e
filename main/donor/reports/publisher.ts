import type { DonorSnapshot, ModelView } from "../../../app/contract/snapshot.ts";
import type { Facts } from "../../../app/facts/facts.ts";
import type { Activity } from "../../../app/policy/decision.ts";
import type { EffectiveRules } from "../../../app/policy/rule-layers.ts";
import type { SnapshotStore } from "../../face/snapshot-store.ts";
import type { DonorJournal } from "../../journal/donor-journal.ts";
import type { Log } from "../../log.ts";
import type { Needs, Readings } from "../../sensors/sensor.ts";
import type { ModelPlans } from "../../supervisor/plan/model-plans.ts";
import type { Me, Organization } from "../organization/organization.ts";
import type { Settings } from "../settings.ts";
import { ActivityReport } from "./activity-report.ts";
import { EarningsFeed } from "./earnings-feed.ts";
import { ModelReport, reportedModels } from "./model-report.ts";
import { unknownFacts } from "./unknown-facts.ts";
import { factsView, settingsView, sourcesView } from "./views.ts";

export type PublisherParts = {
  readonly organization: Pick<Organization, "report" | "reportModels" | "onEarnings" | "onHistory">;
  readonly snapshot: SnapshotStore;
  readonly journal: Pick<DonorJournal, "looked" | "models">;
  /** What is known of how fast each model is here. */
  readonly plans: Pick<ModelPlans, "speed">;
  readonly log: Log;
};

/** What the loop saw and decided, and by what. */
export type Look = {
  readonly activity: Activity;
  readonly recheckAt: number | null;
  readonly facts: Facts;
  readonly readings: Readings;
  readonly needs: Needs;
  readonly connection: DonorSnapshot["connection"];
  readonly settings: Settings;
  readonly policy: EffectiveRules;
};

/** Says where the donor stands to all who want to know: its person (the snapshot), its journal, its organization. */
export class Publisher {
  readonly #parts: PublisherParts;
  readonly #activity: ActivityReport;
  readonly #models: ModelReport;
  readonly #earnings: EarningsFeed;

  constructor(parts: PublisherParts) {
    const { organization, snapshot, log } = parts;
    this.#parts = parts;
    this.#activity = new ActivityReport(organization, log);
    this.#models = new ModelReport(organization, log);
    this.#earnings = new EarningsFeed(organization, snapshot);
  }

  /** To be called after each look of the loop, changed or not. */
  looked(look: Look): void {
    const { activity, recheckAt, facts, readings, needs, connection, settings, policy } = look;
    const { snapshot, journal } = this.#parts;
    this.#activity.setActivity(activity, unknownFacts(facts, needs));
    journal.looked(activity, facts);
    this.#earnings.follow(facts.now);
    snapshot.update({
      activity,
      recheckAt,
      facts: factsView(facts, readings),
      factSources: sourcesView(readings),
      connection,
      ...settingsView(settings, policy, facts.now),
    });
  }

  /** Where the organization's models stand here. */
  modelsStand(views: readonly ModelView[], me: Pick<Me, "models"> | null): void {
    const { snapshot, journal, plans } = this.#parts;
    snapshot.update({ models: views });
    journal.models(views);
    this.#models.setModels(reportedModels(views, me, (sha256) => plans.speed(sha256)));
  }

  /** What the organization says of this device. */
  memberIs(me: Me | null): void {
    this.#parts.snapshot.update({
      organization: me === null ? null : { name: me.organizationName },
      device: me === null ? null : { id: me.deviceId, name: me.name },
    });
  }

  /** The device is enrolled: from now on what it earns is shown. */
  enrolled(): void {
    this.#earnings.enrolled();
  }

  /** The backend knows this connection, and is told everything anew. */
  greeted(): void {
    this.#activity.greeted();
    this.#models.greeted();
  }

  stop(): void {
    this.#earnings.stop();
    this.#activity.stop();
    this.#models.stop();
  }
}
