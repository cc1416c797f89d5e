import { useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { formatShare } from "../../../app/format/quantity.ts";
import { startOfDay } from "../../../app/format/time.ts";
import { formatCredits } from "../../../app/money/credits.ts";
import { reasonsOf } from "../../../app/trust/standing.ts";
import { api } from "../../../convex/_generated/api.js";
import type { Id } from "../../../convex/_generated/dataModel.js";
import { Badge } from "../../ui/Badge.tsx";
import { useFromNow } from "../../ui/clock.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import { SkeletonRows } from "../../ui/Skeleton.tsx";
import { standingWords } from "../../ui/status-words.ts";
import type { DeviceStandings } from "../data/rows.ts";
import { useAct, useScope, useSession } from "../data/session-context.ts";

/** How a device stands with each of its models, with the reasons. */
export function DeviceStanding({ deviceId }: { readonly deviceId: Id<"devices"> }): ReactNode {
  const session = useSession();
  // It changes slowly, so a moment of the day is enough.
  const now = useFromNow(startOfDay);
  const found = useQuery(api.console.fleet.checks.standings, { session, deviceId, now });
  const mayRelease = useScope("checks.change") !== null;
  const release = useAct(api.console.fleet.checks.releasePay);
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <StandingView found={found} onRelease={mayRelease ? () => setAsked(true) : null} />
      {isAsked && (
        <ReleasePay
          heldMicro={found?.heldMicro ?? 0n}
          onRelease={async (reason) => await release({ deviceId, reason }, "The pay is released.")}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}

/** @param found undefined while it loads. @param onRelease null for those who may not release pay. */
export function StandingView({
  found,
  onRelease,
}: {
  readonly found: DeviceStandings | undefined;
  readonly onRelease: (() => void) | null;
}): ReactNode {
  if (found === undefined) return <SkeletonRows rows={2} />;
  const { models } = found;
  return (
    <>
      <HeldPay found={found} onRelease={onRelease} />
      {models.length === 0 ? (
        <p className="text-muted">Nothing is known yet: no answer of this device was counted.</p>
      ) : (
        <ul aria-label="Standing by model" className="divide-y divide-line">
          {models.map(({ modelId, chance, ...standing }) => {
            const { tone, words } = standingWords[standing.rank];
            const reasons = reasonsOf(standing);
            return (
              <li key={modelId} className="grid gap-0.5 py-1.5">
                <span className="flex flex-wrap items-center gap-x-3">
                  <span className="font-medium wrap-anywhere">{modelId}</span>
                  <Badge tone={tone}>{words}</Badge>
                  {chance === null ? null : (
                    <span className="text-xs text-muted">
                      The next answer is right with a chance of {formatShare(chance)}.
                    </span>
                  )}
                </span>
                {reasons.length === 0 ? null : (
                  <span className="text-xs text-muted">{reasons.join(" ")}</span>
                )}
              </li>
            );
          })}
        </ul>
      )}
    </>
  );
}

/** The pay that waits for checks, and whether nobody can make them. */
function HeldPay({
  found: { models, heldMicro, isForOthers },
  onRelease,
}: {
  readonly found: DeviceStandings;
  readonly onRelease: (() => void) | null;
}): ReactNode {
  if (heldMicro === 0n) return null;
  const unchecked = models.filter((model) => model.unchecked).map(({ modelId }) => modelId);
  return (
    <div className="mb-2 grid justify-items-start gap-1">
      <p>{formatCredits(heldMicro)} of its pay waits for checks.</p>
      {unchecked.length === 0 ? null : (
        <p className="text-muted">
          Nobody could check its last answer with {unchecked.join(", ")}: no device of somebody else that is
          online has the model, or the answer is of a kind that nobody can check.
        </p>
      )}
      {onRelease !== null && isForOthers && (
        <p className="text-muted">
          Nobody releases the pay of their own device. Ask another owner or administrator.
        </p>
      )}
      {onRelease !== null && !isForOthers && <Button onClick={onRelease}>Release its pay…</Button>}
    </div>
  );
}

/** Asks for the reason why the pay of a device is released without checks. */
function ReleasePay({
  heldMicro,
  onRelease,
  onClose,
}: {
  readonly heldMicro: bigint;
  /** Resolves to whether it was released. */
  readonly onRelease: (reason: string) => Promise<boolean>;
  readonly onClose: () => void;
}): ReactNode {
  const [reason, setReason] = useState("");
  return (
    <Dialog title="Release pay without checks" onClose={onClose}>
      <DialogForm
        action="Release"
        disabled={reason.trim() === ""}
        onSubmit={async () => {
          if (await onRelease(reason.trim())) onClose();
        }}
        onClose={onClose}
      >
        <p className="text-sm text-muted">
          {formatCredits(heldMicro)} wait, and its owner can spend them afterward. The pay of an answer about
          which a case is open stays held, and so does the pay of further answers.
        </p>
        <Field
          label="Reason"
          hint="It is shown in the audit trail."
          maxLength={200}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </DialogForm>
    </Dialog>
  );
}
