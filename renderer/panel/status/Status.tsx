import { type ReactNode, useRef, useState } from "react";
import { offersDonateNow } from "../../../app/contract/donate-now.ts";
import { wayOut } from "../../../app/contract/needs-you.ts";
import type { PanelTab } from "../../../app/contract/panel-page.ts";
import { pauseChoices, pauseMinutes } from "../../../app/contract/pause-choices.ts";
import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";
import { hasToJoinAgain, isOutOfService } from "../../../app/policy/reasons.ts";
import { useNow } from "../../ui/clock.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { Menu, type MenuEntry } from "../../ui/controls/Menu.tsx";
import { cx } from "../../ui/cx.ts";
import { StatusDot } from "../../ui/StatusDot.tsx";
import { toneTint } from "../../ui/tone.ts";
import { Words } from "../../ui/Words.tsx";
import { useAct } from "../state/actions.ts";
import { describeStatus } from "./describe-status.ts";
import { PauseDialog } from "./PauseDialog.tsx";

type Props = {
  readonly snapshot: DonorSnapshot;
  readonly onTab: (tab: PanelTab) => void;
};

/** Shows what Gleaner does and why in the largest type, with the donor's commands. */
export function Status({ snapshot, onTab }: Props): ReactNode {
  const now = useNow();
  const words = describeStatus(snapshot, now);
  const way = wayOut(snapshot);
  return (
    <section aria-label="Status" className={cx("rounded-lg px-4 pt-3.5 pb-4", toneTint[words.tone])}>
      {/* Keeps its height while the sentence is a short one. */}
      <div className="min-h-27 wrap-anywhere">
        <div aria-live="polite">
          <p className="flex items-center gap-2.5 text-xl font-semibold">
            <StatusDot
              tone={words.tone}
              busy={snapshot.work !== null}
              hollow={snapshot.activity.kind === "donating" && snapshot.work === null}
            />
            {words.title}
          </p>
          <p className="mt-1 text-ink">{words.sentence}</p>
        </div>
        {words.next === null ? null : <p className="mt-0.5 text-xs text-muted">{words.next}</p>}
      </div>
      {words.ask === null ? null : <p className="mt-1 font-medium wrap-anywhere">{words.ask}</p>}
      {/* A computer that belongs to no organization has its form beside this. */}
      {way === null || (snapshot.device === null && way.tab === "now") ? null : (
        <div className="mt-2.5">
          <Button look="primary" onClick={() => onTab(way.tab)}>
            <Words text={way.label} />
          </Button>
        </div>
      )}
      {/* The button does the same as the command. */}
      {words.note === null || way?.tab === "settings" ? null : (
        <details className="mt-1 text-xs text-muted">
          <summary className="w-fit cursor-pointer">For administrators</summary>
          <p className="mt-1 wrap-anywhere">
            <Sentence text={words.note} />
          </p>
        </details>
      )}
      {snapshot.device === null || hasToJoinAgain(snapshot.activity.reason) ? null : (
        <Controls snapshot={snapshot} now={now} />
      )}
    </section>
  );
}

const code = /(GLEANER_CODE=.*|--[a-z][a-z-]*(?: sha256:…)?|[A-Z]+(?:_[A-Z]+)+)/;

/** A sentence whose commands, options and variables look like those of a terminal. */
function Sentence({ text }: { readonly text: string }): ReactNode {
  return text.split(code).map((part, place) =>
    place % 2 === 0 ? (
      part
    ) : (
      <code key={place} className="font-mono text-xs">
        <Words text={part} />
      </code>
    ),
  );
}

type ControlsProps = { readonly snapshot: DonorSnapshot; readonly now: number };

/** The donor's commands: pause, resume, donate now. */
function Controls({ snapshot, now }: ControlsProps): ReactNode {
  const act = useAct();
  const { activity, pause, donateNowUntil, finishThenPause } = snapshot;
  const canDonate = !isOutOfService(activity.reason);
  const stop = finishThenPause ? "Keep donating" : donateNowUntil !== null ? "Stop donating now" : null;
  return (
    <div className="mt-3 flex flex-wrap gap-2">
      {/* Always first: a button that appears in front of an open menu would move it. */}
      {pause === null ? (
        <PauseMenu snapshot={snapshot} now={now} />
      ) : (
        <Button look="primary" onClick={() => act("resume", null)}>
          Resume
        </Button>
      )}
      {pause === null && stop !== null && canDonate ? (
        <Button look="primary" onClick={() => act("resume", null)}>
          {stop}
        </Button>
      ) : null}
      {offersDonateNow(snapshot) ? (
        <Button
          title="For one hour, even while you use this computer"
          onClick={() => act("donateNow", { minutes: 60 })}
        >
          Donate now for 1 h
        </Button>
      ) : null}
    </div>
  );
}

function PauseMenu({ snapshot, now }: ControlsProps): ReactNode {
  const act = useAct();
  const [isChoosing, setIsChoosing] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  // The dialog cannot return the focus to the menu's entry, which is gone.
  const closeDialog = (): void => {
    setIsChoosing(false);
    setTimeout(() => trigger.current?.focus());
  };
  const finish: MenuEntry = {
    label: "Finish this job, then pause",
    onSelect: () => act("finishThenPause", null),
  };
  const choices: readonly MenuEntry[] = pauseChoices.map(({ label, length }) => ({
    label,
    onSelect: () => act("pause", { minutes: pauseMinutes(length, now) }),
  }));
  const other: MenuEntry = { label: "Choose a time…", onSelect: () => setIsChoosing(true) };
  return (
    <>
      <Menu
        label="Pause"
        trigger={
          <Button ref={trigger}>
            Pause <span aria-hidden>▾</span>
          </Button>
        }
        entries={[
          ...(snapshot.work === null || snapshot.finishThenPause ? [] : [finish]),
          ...choices.slice(0, -1),
          other,
          ...choices.slice(-1),
        ]}
      />
      {isChoosing ? <PauseDialog now={now} onClose={closeDialog} /> : null}
    </>
  );
}
