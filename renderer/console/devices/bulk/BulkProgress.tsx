import { useQuery } from "convex/react";
import type { FunctionReturnType } from "convex/server";
import { type ReactNode, useEffect, useState } from "react";
import { bulkPreview } from "../../../../app/devices/bulk.ts";
import { formatCount, plural } from "../../../../app/format/quantity.ts";
import { api } from "../../../../convex/_generated/api.js";
import type { Id } from "../../../../convex/_generated/dataModel.js";
import { Button } from "../../../ui/controls/Button.tsx";
import { Dialog, DialogActions } from "../../../ui/overlays/Dialog.tsx";
import { useToast } from "../../../ui/overlays/Toast.tsx";
import { ProgressBar } from "../../../ui/ProgressBar.tsx";
import { useAct, useSession } from "../../data/session-context.ts";

export type Bulk = FunctionReturnType<typeof api.console.bulkDevices.get>;

type Props = { readonly bulkId: Id<"bulkActs">; readonly onClose: () => void };

/** An act on many devices: its preview, its progress, and its undo. */
export function BulkProgress({ bulkId, onClose }: Props): ReactNode {
  const session = useSession();
  const bulk = useQuery(api.console.bulkDevices.get, { session, bulkId });
  const run = useAct(api.console.bulkDevices.run);
  const undo = useAct(api.console.bulkDevices.undo);
  const toast = useToast();
  const [isClosed, setIsClosed] = useState(false);
  const isDone = bulk?.state === "done";
  useEffect(() => {
    // Without the dialog, the undo is still possible for a while.
    if (!isClosed || bulk?.state !== "done") return;
    if (bulk.done > 0)
      toast(doneWords(bulk.done), "good", () => void undo({ bulkId }, "The devices are being restored."));
    onClose();
    // Only the end of the act, or the dialog's, tells of it.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isClosed, isDone]);
  if (isClosed) return null;
  return (
    <BulkView
      bulk={bulk}
      onRun={() => void run({ bulkId })}
      onUndo={() => void undo({ bulkId })}
      onClose={() => (isDone || bulk?.state === "running" ? setIsClosed(true) : onClose())}
    />
  );
}

function doneWords(devices: number): string {
  return plural(devices, ["# device changed.", "# devices changed."]);
}

type ViewProps = {
  readonly bulk: Bulk | undefined;
  readonly onRun: () => void;
  readonly onUndo: () => void;
  readonly onClose: () => void;
};

export function BulkView({ bulk, onRun, onUndo, onClose }: ViewProps): ReactNode {
  return (
    <Dialog title={bulk === undefined ? "Change devices" : titleOf(bulk)} onClose={onClose}>
      <div role="status" className="grid min-h-10 content-start gap-2">
        {bulk === undefined ? "Looking for the devices…" : <Step bulk={bulk} />}
      </div>
      <DialogActions>
        <Button onClick={onClose}>{bulk?.state === "found" ? "Change nothing" : "Close"}</Button>
        {bulk?.state === "found" ? (
          <Button
            look={bulk.act.kind === "retire" ? "danger" : "primary"}
            disabled={bulk.counts.changes === 0}
            onClick={onRun}
          >
            Change {plural(bulk.counts.changes, ["# device", "# devices"])}
          </Button>
        ) : null}
        {bulk?.state === "done" && bulk.done > 0 ? <Button onClick={onUndo}>Undo</Button> : null}
      </DialogActions>
    </Dialog>
  );
}

const titles = {
  pause: "Pause devices",
  drain: "Finish jobs, then pause",
  resume: "Resume devices",
  group: "Move devices to a group",
  update: "Ask for an update",
  retire: "Retire devices",
} as const satisfies Readonly<Record<Bulk["act"]["kind"], string>>;

function titleOf({ act, code }: Bulk): string {
  return code !== null && act.kind === "retire" ? `Retire all devices of ${code}` : titles[act.kind];
}

function Step({ bulk }: { readonly bulk: Bulk }): ReactNode {
  const { act, state, counts, done, code } = bulk;
  const found = counts.changes + counts.same + counts.cannot;
  switch (state) {
    case "finding":
      return <p>Looking for the devices: {formatCount(found)} so far.</p>;
    case "found":
      return (
        <>
          <p>{found === 0 ? "No device fits." : bulkPreview(act, counts)}</p>
          {act.kind === "retire" && counts.changes > 0 ? <RetirementWords code={code} /> : null}
        </>
      );
    case "running":
    case "undoing":
      return (
        <>
          <p>
            {formatCount(done)} of {plural(counts.changes, ["# device", "# devices"])}. This goes on if you
            close the window.
          </p>
          <ProgressBar label="Devices done" share={counts.changes === 0 ? 1 : done / counts.changes} />
        </>
      );
    case "done":
      return <p>{doneWords(done)}</p>;
    case "undone":
      return (
        <p>
          {plural(done, ["# device", "# devices"])} restored. Devices that somebody changed meanwhile, or that
          left, stay as they are.
        </p>
      );
  }
}

function RetirementWords({ code }: Pick<Bulk, "code">): ReactNode {
  return (
    <>
      {code === null ? null : <p>The code is revoked, too, so no more devices can join with it.</p>}
      <p className="text-muted">Retired devices get no more jobs. Their current jobs go back to the queue.</p>
      <p className="text-muted">
        You can undo this. Only devices whose users leave the organization meanwhile stay retired, since their
        keys are deleted.
      </p>
    </>
  );
}
