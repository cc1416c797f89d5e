import { type ReactNode, useEffect, useState } from "react";
import { mayLeave } from "../../app/contract/needs-you.ts";
import type { PanelTab } from "../../app/contract/panel-page.ts";
import type { HistoryFilter } from "../../app/contract/past-jobs.ts";
import type { DonorSnapshot, EarningsView } from "../../app/contract/snapshot.ts";
import { formatCount } from "../../app/format/quantity.ts";
import { formatCredits } from "../../app/money/credits.ts";
import type { RuleName } from "../../app/policy/rules.ts";
import { Banner } from "../ui/Banner.tsx";
import { Card } from "../ui/Card.tsx";
import { Button } from "../ui/controls/Button.tsx";
import { LanguageCard } from "../ui/controls/LanguageCard.tsx";
import { Tabs } from "../ui/controls/Tabs.tsx";
import { cx } from "../ui/cx.ts";
import { Empty } from "../ui/Empty.tsx";
import { Skeleton } from "../ui/Skeleton.tsx";
import { Stat } from "../ui/Stat.tsx";
import { About } from "./about/About.tsx";
import { askForTab } from "./bridge/asked-tab.ts";
import type { LinkState } from "./bridge/panel-link.ts";
import { isProgramWindow } from "./bridge/tell-program.ts";
import { Tightened } from "./comfort/Tightened.tsx";
import { EarningsPage } from "./earnings/EarningsPage.tsx";
import { EnrollForm } from "./enroll/EnrollForm.tsx";
import { History } from "./history/History.tsx";
import { ModelsPage } from "./models/ModelsPage.tsx";
import { Facts } from "./now/Facts.tsx";
import { Models } from "./now/Models.tsx";
import { Work } from "./now/Work.tsx";
import { PanelHeader } from "./PanelHeader.tsx";
import { LeaveCard } from "./settings/LeaveCard.tsx";
import { Settings } from "./settings/Settings.tsx";
import type { PanelState } from "./state/panel-store.ts";
import { StartAtLogin } from "./status/StartAtLogin.tsx";
import { Status } from "./status/Status.tsx";
import { Why } from "./why/Why.tsx";

type Props = {
  readonly state: PanelState;
  readonly initialTab?: PanelTab;
  /** Hears of the tabs that the program asks for. Returns the unsubscriber. */
  readonly onAskedTab?: (listener: (tab: PanelTab) => void) => () => void;
  /** Whether the program opened the page again after a crash. */
  readonly restored?: boolean;
};

export function PanelView({ state, initialTab = "now", onAskedTab, restored = false }: Props): ReactNode {
  const { snapshot, link, problem } = state;
  const [tab, setTab] = useState<PanelTab>(initialTab);
  useEffect(() => onAskedTab?.(setTab), [onAskedTab]);
  return (
    <div data-panel className="flex min-h-screen flex-col">
      {link === "lost" ? (
        <Banner tone="bad" busy>
          Gleaner is not running or cannot be reached.{" "}
          {snapshot === null ? null : "This page shows its last known state."} Reconnecting…
        </Banner>
      ) : null}
      {restored ? <Restored /> : null}
      {link === "refused" ? (
        <Empty title="Open the printed address">
          Gleaner prints the address of this page when it starts. The address contains a secret and is valid
          until Gleaner ends.
        </Empty>
      ) : snapshot !== null ? (
        // The last known state looks past, and its commands would reach nobody.
        <div inert={link === "lost"} className={cx("flex flex-1 flex-col", link === "lost" && "grayscale")}>
          <Loaded snapshot={snapshot} link={link} tab={tab} onTab={setTab} />
        </div>
      ) : problem !== null ? (
        <Empty title="Gleaner's state cannot be shown">{problem}</Empty>
      ) : (
        <Booting />
      )}
    </div>
  );
}

function Restored(): ReactNode {
  const [isShown, setIsShown] = useState(true);
  return isShown ? (
    <Banner tone="hold">
      <span className="flex items-center justify-between gap-3 max-[20rem]:flex-wrap">
        <span>This window crashed and was opened again. Gleaner itself kept working.</span>
        <Button size="sm" look="quiet" onClick={() => setIsShown(false)}>
          Close
        </Button>
      </span>
    </Banner>
  ) : null;
}

type LoadedProps = {
  readonly snapshot: DonorSnapshot;
  readonly link: LinkState;
  readonly tab: PanelTab;
  readonly onTab: (tab: PanelTab) => void;
};

function Loaded({ snapshot, link, tab, onTab }: LoadedProps): ReactNode {
  /** The rule that the settings show. */
  const [rule, setRule] = useState<RuleName | null>(null);
  const go = (next: PanelTab, shown: RuleName | null = null): void => {
    setRule(shown);
    onTab(next);
  };
  /** The jobs that the history shows. */
  const [jobs, setJobs] = useState<HistoryFilter>({});
  const showJobs = (from: number, to: number): void => {
    setJobs({ from, to });
    go("history");
  };
  const showRule = (name: RuleName): void => go("settings", name);
  const enrolled = snapshot.device !== null;
  return (
    <>
      <PanelHeader snapshot={snapshot} link={link} />
      <main className="mx-auto grid w-full max-w-5xl flex-1 content-start gap-3 px-1.5 pb-4 md:grid-cols-[minmax(20rem,2fr)_3fr] md:gap-5 md:px-5 md:pt-2">
        <div className="grid min-w-0 content-start gap-3">
          <Status snapshot={snapshot} onTab={go} />
          {/* In a narrow window these would push the other pages out of sight. */}
          <div className={cx("grid gap-3 empty:hidden", enrolled && tab !== "now" && "max-md:hidden")}>
            <StartAtLogin snapshot={snapshot} />
            {enrolled ? <Earnings earnings={snapshot.earnings} /> : null}
          </div>
        </div>
        <div className="min-w-0">
          {enrolled ? (
            <Tabs
              label="Panel"
              value={tab}
              onChange={(next) => go(next)}
              tabs={[
                { value: "now", label: "Now", content: <Now snapshot={snapshot} /> },
                {
                  value: "earnings",
                  label: "Earnings",
                  content: <EarningsPage snapshot={snapshot} onJobs={showJobs} />,
                },
                {
                  value: "history",
                  label: "History",
                  content: <History newest={snapshot.history} filter={jobs} onFilter={setJobs} />,
                },
                {
                  value: "models",
                  label: "Models",
                  content: <ModelsPage snapshot={snapshot} onRule={showRule} />,
                },
                {
                  value: "why",
                  label: "Why",
                  content: <Why snapshot={snapshot} onRule={showRule} />,
                },
                {
                  value: "settings",
                  label: "Settings",
                  content: (
                    <div className="grid gap-3">
                      <Settings
                        rules={snapshot.rules}
                        startAtLogin={snapshot.startAtLogin ?? null}
                        {...(snapshot.updates === undefined ? {} : { updates: snapshot.updates })}
                        focused={rule}
                        {...snapshot.ruleLayers}
                      />
                      <LanguageCard
                        place={isProgramWindow() ? "program" : "browser"}
                        onReload={() => askForTab("settings")}
                      />
                      <LeaveCard
                        organization={snapshot.organization?.name ?? /* @wc-include */ "your organization"}
                        mayLeave={mayLeave(snapshot)}
                      />
                    </div>
                  ),
                },
                { value: "about", label: "About", content: <About snapshot={snapshot} /> },
              ]}
            />
          ) : (
            <div className="grid gap-3">
              {/* Without another start, no code can help. */}
              {snapshot.problem?.remedy === "restart" ? null : <EnrollForm />}
              {/* Without tabs, the way to this page opens the text that an administrator needs. */}
              <About key={tab} snapshot={snapshot} areDiagnosticsShown={tab === "about"} />
            </div>
          )}
        </div>
      </main>
    </>
  );
}

function Now({ snapshot }: { readonly snapshot: DonorSnapshot }): ReactNode {
  return (
    <div className="grid gap-3">
      <Work work={snapshot.work} donating={snapshot.activity.kind === "donating"} />
      {snapshot.comfort === undefined || snapshot.comfort.tightening.step === 0 ? null : (
        <Card title="Gives less for now">
          <Tightened comfort={snapshot.comfort} rules={snapshot.rules} />
        </Card>
      )}
      <Facts facts={snapshot.facts} sources={snapshot.factSources} rules={snapshot.rules} />
      <Models
        models={snapshot.models}
        organization={snapshot.organization}
        isProblemShown={snapshot.activity.reason === "no-model"}
      />
    </div>
  );
}

function Booting(): ReactNode {
  return (
    <div role="status" aria-label="Loading" className="grid gap-3 p-3">
      <Skeleton className="h-8 w-40" />
      <Skeleton className="h-36 w-full" />
      <Skeleton className="h-16 w-full" />
    </div>
  );
}

function Earnings({ earnings }: { readonly earnings: EarningsView | null }): ReactNode {
  return (
    <Card>
      <dl className="-my-1 grid grid-cols-3 gap-3 max-[20rem]:grid-cols-1">
        <Stat label="Balance" value={earnings === null ? "–" : formatCredits(earnings.balanceMicro)} />
        <Stat label="Today" value={earnings === null ? "–" : formatCredits(earnings.todayMicro)} />
        <Stat label="Jobs done" value={earnings === null ? "–" : formatCount(earnings.jobsSucceeded)} />
      </dl>
    </Card>
  );
}
