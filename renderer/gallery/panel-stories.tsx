import type { ReactNode } from "react";
import type { PanelTab } from "../../app/contract/panel-page.ts";
import type { DonorSnapshot } from "../../app/contract/snapshot.ts";
import { noFacts } from "../../app/usage/comparison.ts";
import { Diagnostics } from "../panel/about/Diagnostics.tsx";
import { Updates } from "../panel/about/Updates.tsx";
import { EnrollForm } from "../panel/enroll/EnrollForm.tsx";
import { History } from "../panel/history/History.tsx";
import { JobDetail } from "../panel/history/JobDetail.tsx";
import { modelRows } from "../panel/models/model-rows.ts";
import { RemoveModel } from "../panel/models/RemoveModel.tsx";
import { Facts } from "../panel/now/Facts.tsx";
import { TokenRates } from "../panel/now/TokenRates.tsx";
import { PanelView } from "../panel/PanelView.tsx";
import { LeaveCard } from "../panel/settings/LeaveCard.tsx";
import { Settings } from "../panel/settings/Settings.tsx";
import { Bridge } from "../panel/state/actions.ts";
import type { PanelState } from "../panel/state/panel-store.ts";
import { PauseDialog } from "../panel/status/PauseDialog.tsx";
import { answeringBridge, type Answers, computerFixture, modelsFixture } from "./fixtures/answers.ts";
import { comfortViews } from "./fixtures/comfort.ts";
import { emptyWeekFixture, weekFixture } from "./fixtures/explanations.ts";
import { earningsFixture, historyFixture, longHistoryFixture } from "./fixtures/past-jobs.ts";
import { problemSnapshots } from "./fixtures/problem-snapshots.ts";
import { snapshots } from "./fixtures/snapshots.ts";
import { updatesViews } from "./fixtures/updates.ts";
import type { Story } from "./story.ts";

const size = [420, 640] as const;

export function panelStories(now: number): readonly Story[] {
  const all = snapshots(now);
  const comfort = comfortViews(now);
  const problems = problemSnapshots(now);
  const shown = (id: string, snapshot: DonorSnapshot, tab: PanelTab = "now"): Story =>
    story(id, <PanelView initialTab={tab} state={{ link: "open", snapshot, problem: null }} />);
  const answered = (id: string, snapshot: DonorSnapshot, tab: PanelTab, answers: Answers): Story =>
    story(
      id,
      <Bridge value={answeringBridge(answers)}>
        <PanelView initialTab={tab} state={{ link: "open", snapshot, problem: null }} />
      </Bridge>,
    );
  const state = (id: string, change: Partial<PanelState>): Story =>
    story(id, <PanelView state={{ link: "open", snapshot: null, problem: null, ...change }} />);
  const removedModels = all.standby.models.map((model) =>
    model.modelId === "qwen3-4b-instruct-q4"
      ? { ...model, state: "missing" as const, why: { reason: "removed" as const, detail: null } }
      : model,
  );
  return [
    shown("panel-working", all.working),
    shown("panel-donating", all.donating),
    shown("panel-in-use", all.standby),
    shown("panel-start-at-login", { ...all.standby, startAtLogin: { problem: null } }),
    shown("panel-paused", all.paused),
    shown("panel-donate-now", all.donateNow),
    shown("panel-offline", all.offline),
    shown("panel-unknowns", all.unknowns),
    shown("panel-empty", all.empty),
    answered("panel-earnings", all.working, "earnings", { earnings: earningsFixture(now) }),
    answered("panel-earnings-energy", all.working, "earnings", {
      earnings: { ...earningsFixture(now), facts: noFacts },
    }),
    answered("panel-earnings-empty", all.empty, "earnings", { earnings: { days: [], since: null } }),
    shown("panel-earnings-offline", all.offline, "earnings"),
    answered("panel-history", all.working, "history", { history: historyFixture(all.working.history) }),
    ...all.working.history.slice(0, 1).map((row) =>
      answered("panel-history-long", { ...all.working, history: [] }, "history", {
        history: longHistoryFixture(row),
      }),
    ),
    answered("panel-history-empty", all.empty, "history", { history: { rows: [], next: null } }),
    shown("panel-history-offline", all.offline, "history"),
    story(
      "panel-history-none-found",
      <Bridge value={answeringBridge({ history: { rows: [], next: null } })}>
        <div className="p-3">
          <History newest={[]} filter={{ model: "mistral", status: "failed" }} onFilter={() => undefined} />
        </div>
      </Bridge>,
    ),
    story(
      "panel-token-rates",
      <div className="grid gap-3 p-3">
        <TokenRates rates={Array.from({ length: 60 }, (_, at) => (at % 20 < 5 ? 0 : 48 + ((at * 7) % 15)))} />
        <TokenRates rates={[0, 3.2, 4.5, 4.1]} />
        <TokenRates rates={[]} />
      </div>,
    ),
    story(
      "panel-job-detail",
      <div className="grid gap-3 p-3">
        <JobDetail row={all.working.history[4] ?? null} />
        <JobDetail row={all.working.history[2] ?? null} />
      </div>,
    ),
    shown("panel-finishing", all.finishing),
    shown("panel-within-limits", all.withinLimits),
    shown("panel-excluded-program", all.excluded),
    shown("panel-outside-hours", all.outsideHours),
    shown("panel-settings", all.standby, "settings"),
    story(
      "panel-settings-layers",
      <div className="p-3">
        <Settings
          rules={all.ruled.rules}
          {...all.ruled.ruleLayers}
          open={["when", "gives", "power", "others", "network", "models"]}
        />
      </div>,
    ),
    story(
      "panel-leave",
      <div className="grid gap-3 p-3">
        <LeaveCard organization="Northwind Research" mayLeave />
        <LeaveCard organization="Southwind Logistics" mayLeave={false} />
        <LeaveCard
          organization="Eastwind Energy"
          mayLeave
          initialDeparture={{
            organization: "Eastwind Energy",
            device: "Ada's ThinkPad",
            isTold: false,
            kept: ["models"],
          }}
        />
      </div>,
    ),
    story(
      "panel-all-facts",
      <div className="p-3">
        <Facts
          facts={all.standby.facts}
          sources={all.standby.factSources}
          rules={all.standby.rules}
          initialAll
        />
      </div>,
    ),
    story("panel-pause-until", <PauseDialog now={now} onClose={() => undefined} />),
    answered("panel-models", all.standby, "models", { models: modelsFixture(now) }),
    answered("panel-models-removed", { ...all.withinLimits, models: removedModels }, "models", {
      models: modelsFixture(now),
    }),
    answered("panel-models-none", all.catalogRefused, "models", { models: { models: [] } }),
    story(
      "panel-model-remove",
      modelRows(modelsFixture(now).models, all.standby.models)
        .slice(1, 2)
        .map((row) => (
          <RemoveModel
            key={row.modelId}
            row={row}
            organization="Northwind Research"
            onConfirm={() => undefined}
            onClose={() => undefined}
          />
        )),
    ),
    answered("panel-why", { ...all.paused, comfort: comfort.kept }, "why", { explain: weekFixture(now) }),
    answered("panel-why-tightened", { ...all.donating, comfort: comfort.tightened }, "why", {
      explain: weekFixture(now),
    }),
    shown("panel-now-tightened", { ...all.working, comfort: comfort.tightened }, "now"),
    answered("panel-why-ruled", all.outsideHours, "why", { explain: weekFixture(now) }),
    answered("panel-why-empty", all.standby, "why", { explain: emptyWeekFixture(now) }),
    shown("panel-about", all.standby, "about"),
    ...Object.entries(updatesViews(now)).map(([name, updates]) =>
      story(
        `panel-updates-${name}`,
        <div className="p-3">
          <Updates updates={updates} />
        </div>,
      ),
    ),
    story(
      "panel-diagnostics",
      <Bridge value={answeringBridge({ computer: computerFixture })}>
        <div className="mx-auto max-w-xl p-3">
          <Diagnostics snapshot={all.ruled} initialShown />
        </div>
      </Bridge>,
    ),
    shown("panel-not-enrolled", all.fresh),
    shown("panel-code-refused", all.codeRefused),
    shown("panel-untrusted-server", all.untrusted),
    shown("panel-other-key", all.otherKey),
    shown("panel-catalog-refused", all.catalogRefused),
    shown("panel-catalog-kept", all.catalogKept),
    shown("panel-awaiting-approval", all.pending),
    shown("panel-retired", problems.retired),
    shown("panel-paused-by-server", problems.pausedByServer),
    shown("panel-paused-in-console", problems.pausedInConsole),
    shown("panel-outdated", problems.outdated),
    shown("panel-update-asked", problems.updateAsked),
    shown("panel-wrong-server", problems.wrongServer),
    shown("panel-certificate-expired", problems.certificateExpired),
    shown("panel-wrong-pin", problems.wrongPin),
    shown("panel-other-name", problems.otherName),
    shown("panel-no-backend", problems.noBackend),
    shown("panel-unreachable", problems.unreachable),
    shown("panel-identity-damaged", problems.damaged),
    shown("panel-long-names", problems.longNames),
    story(
      "panel-enroll-refused",
      <div className="p-3">
        <EnrollForm initialError="This code has expired. Ask your administrator for a new one." />
      </div>,
    ),
    story(
      "panel-restored",
      <PanelView restored state={{ link: "open", snapshot: all.working, problem: null }} />,
    ),
    state("panel-booting", { link: "connecting" }),
    state("panel-lost", { link: "lost", snapshot: all.working }),
    state("panel-never-reached", { link: "lost" }),
    state("panel-refused", { link: "refused" }),
    state("panel-problem", { problem: "This window was opened by another program." }),
  ];
}

function story(id: string, content: ReactNode): Story {
  return { id, group: "Panel", size, content };
}
