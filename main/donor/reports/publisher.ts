import type { DonorSnapshot, ModelView } from "../../../app/contract/snapshot.ts";
import type { Facts } from "../../../app/facts/facts.ts";
import type { Activity } from "../../../app/policy/decision.ts";
import type { EffectiveRules } from "../../../app/policy/rule-layers.ts";
import type { SnapshotStore } from "../../face/snapshot-store.ts";
import type { DonorJournal } from "../../journal/donor-journal.ts";
import type { Log } from "../../log.ts";
import type { Needs, Readings } from "../../sensors/base/sensor.ts";
import type { ModelPlans } from "../../supervisor/plan/model-plans.ts";
import type { CatalogTrust } from "../organization/catalog-trust.ts";
import type { Me, Organization } from "../organization/organization.ts";
import type { Settings } from "../settings.ts";
import { ActivityReport } from "./activity-report.ts";
import { EarningsFeed } from "./earnings-feed.ts";
import { ModelReport, reportedModels } from "./model-report.ts";
import { unknownFacts } from "./unknown-facts.ts";
import { factsView, settingsView, sourcesView } from "./views.ts";

type PublisherDeps = {
  readonly organization: Pick<Organization, "report" | "reportModels" | "onEarnings" | "onHistory">;
  readonly snapshot: SnapshotStore;
  readonly journal: Pick<DonorJournal, "decided" | "models">;
  /** Measured speeds of models on this device. */
  readonly plans: Pick<ModelPlans, "speed">;
  /** The newer version that was rolled back here. */
  readonly rolledBackVersion: string | null;
  readonly log: Log;
};

/** One decision of the loop with its inputs. */
export type PublishedDecision = {
  readonly activity: Activity;
  readonly recheckAt: number | null;
  readonly facts: Facts;
  readonly readings: Readings;
  readonly needs: Needs;
  readonly connection: DonorSnapshot["connection"];
  readonly problem: NonNullable<DonorSnapshot["problem"]> | null;
  readonly settings: Settings;
  readonly policy: EffectiveRules;
};

/** Publishes the donor's state to its person (the snapshot), its journal and its organization. */
export class Publisher {
  readonly #deps: PublisherDeps;
  readonly #activity: ActivityReport;
  readonly #models: ModelReport;
  readonly #earnings: EarningsFeed;

  constructor(deps: PublisherDeps) {
    const { organization, snapshot, log } = deps;
    this.#deps = deps;
    this.#activity = new ActivityReport(deps);
    this.#models = new ModelReport(organization, log);
    this.#earnings = new EarningsFeed(organization, snapshot);
  }

  /** Called after each decision of the loop, changed or not. */
  decided(decision: PublishedDecision): void {
    const { activity, recheckAt, facts, readings, needs, connection, problem, settings, policy } = decision;
    const { snapshot, journal } = this.#deps;
    this.#activity.setActivity(activity, unknownFacts(facts, needs));
    journal.decided(activity, facts, policy.rules);
    this.#earnings.follow(facts.now);
    snapshot.update({
      activity,
      recheckAt,
      facts: factsView(facts, readings),
      factSources: sourcesView(readings),
      connection,
      problem,
      ...settingsView(settings, policy, facts.now),
    });
  }

  /** Publishes the state of the organization's models. */
  modelsChanged(views: readonly ModelView[], me: Pick<Me, "models"> | null): void {
    const { snapshot, journal, plans } = this.#deps;
    snapshot.update({ models: views });
    journal.models(views);
    this.#models.setModels(reportedModels(views, me, (sha256) => plans.speed(sha256)));
  }

  /** Publishes the organization's view of this device. */
  memberIs(me: Me | null, trust: Pick<CatalogTrust, "fingerprint" | "problem" | "said">): void {
    const { snapshot } = this.#deps;
    // A retired device is not told the name. It keeps the one that it knows.
    const name = me?.organizationName ?? snapshot.get().organization?.name;
    snapshot.update({
      organization:
        me === null || name === undefined
          ? null
          : {
              name,
              keyFingerprint: trust.fingerprint,
              problem: trust.problem,
              ...(trust.said === null ? {} : { problemSaid: trust.said }),
              ...(me.needsVersion == null ? {} : { needsVersion: me.needsVersion }),
              ...(me.askedVersion == null ? {} : { askedVersion: me.askedVersion }),
              ...(me.limits == null ? {} : { limits: me.limits }),
              ...(me.heldBack.length === 0 ? {} : { heldBack: me.heldBack }),
            },
      device: me === null ? null : { id: me.deviceId, name: me.name },
    });
  }

  /** Shows earnings after enrollment. */
  enrolled(): void {
    this.#earnings.enrolled();
  }

  /** Reports everything again on a new connection. */
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
