import { type ReactNode, useState } from "react";
import { pauseChoices, pauseMinutes } from "../../../app/contract/pause-choices.ts";
import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { Menu, type MenuEntry } from "../../ui/controls/Menu.tsx";
import { useAct } from "../state/actions.ts";
import { PauseDialog } from "./PauseDialog.tsx";

type Props = { readonly snapshot: DonorSnapshot; readonly now: number };

/** The donor's commands: pause, resume, donate now. */
export function Controls({ snapshot, now }: Props): ReactNode {
  const act = useAct();
  const { pause, donateNowUntil, finishThenPause, rules } = snapshot;
  const stop = finishThenPause ? "Keep donating" : donateNowUntil !== null ? "Stop donating now" : null;
  return (
    <div className="mt-3 flex flex-wrap gap-2">
      {/* Always first, so that other buttons do not move an open menu. */}
      {pause === null ? (
        <PauseMenu snapshot={snapshot} now={now} />
      ) : (
        <Button look="primary" onClick={() => act("resume", null)}>
          Resume
        </Button>
      )}
      {pause === null && stop !== null ? (
        <Button look="primary" onClick={() => act("resume", null)}>
          {stop}
        </Button>
      ) : null}
      {donateNowUntil === null && rules.allowDonateNow ? (
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

function PauseMenu({ snapshot, now }: Props): ReactNode {
  const act = useAct();
  const [asking, setAsking] = useState(false);
  const finish: MenuEntry = {
    label: "Finish this job, then pause",
    onSelect: () => act("finishThenPause", null),
  };
  const choices: readonly MenuEntry[] = pauseChoices.map(({ label, length }) => ({
    label,
    onSelect: () => act("pause", { minutes: pauseMinutes(length, now) }),
  }));
  const other: MenuEntry = { label: "Another time…", onSelect: () => setAsking(true) };
  return (
    <>
      <Menu
        label="Pause"
        trigger={
          <Button>
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
      <PauseDialog open={asking} now={now} onClose={() => setAsking(false)} />
    </>
  );
}
