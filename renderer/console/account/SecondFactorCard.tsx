import { type ReactNode, useState } from "react";
import { plural } from "../../../app/format/quantity.ts";
import { api } from "../../../convex/_generated/api.js";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { useAct, useLongAct } from "../data/session-context.ts";
import { RecoveryCodes } from "./RecoveryCodes.tsx";
import { SetUpSecondFactor } from "./SetUpSecondFactor.tsx";

export type SecondFactorState = { readonly confirmedAt: number; readonly recoveryCodesLeft: number } | null;

type Props = {
  readonly state: SecondFactorState;
  /** Called when a setup begins, and when its recovery codes have been read. */
  readonly onSettingUp?: (isSettingUp: boolean) => void;
};

/** The member's authenticator app. */
export function SecondFactorCard({ state, onSettingUp }: Props): ReactNode {
  const begin = useLongAct(api.console.access.secondFactor.begin);
  const renew = useLongAct(api.console.access.secondFactor.renewRecoveryCodes);
  const remove = useAct(api.console.access.secondFactor.remove);
  const [begun, setBegun] = useState<{ readonly secret: string; readonly uri: string } | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  return (
    <>
      <SecondFactorCardView
        state={state}
        onSetUp={() =>
          void begin({}, (answer) => {
            setBegun(answer);
            onSettingUp?.(true);
            return null;
          })
        }
        onRenew={() =>
          void renew({}, (answer) => {
            setCodes(answer);
            return null;
          })
        }
        onRemove={() => void remove({}, "Your second factor was removed.")}
      />
      {begun === null ? null : (
        <SetUpSecondFactor
          {...begun}
          onClose={() => {
            setBegun(null);
            onSettingUp?.(false);
          }}
        />
      )}
      {codes === null ? null : (
        <Dialog title="New recovery codes" onClose={() => setCodes(null)}>
          <RecoveryCodes codes={codes} onDone={() => setCodes(null)} />
        </Dialog>
      )}
    </>
  );
}

type ViewProps = {
  readonly state: SecondFactorState;
  readonly onSetUp: () => void;
  readonly onRenew: () => void;
  readonly onRemove: () => void;
};

export function SecondFactorCardView({ state, onSetUp, onRenew, onRemove }: ViewProps): ReactNode {
  const [asked, setAsked] = useState<"renew" | "remove" | null>(null);
  const close = (): void => setAsked(null);
  return (
    <>
      <Card
        title="Second factor"
        aside={
          state === null ? (
            <Button size="sm" onClick={onSetUp}>
              Set up
            </Button>
          ) : (
            <div className="flex flex-wrap justify-end gap-1.5">
              <Button size="sm" onClick={() => setAsked("renew")}>
                New recovery codes
              </Button>
              <Button
                size="sm"
                look="quiet"
                aria-label="Remove the second factor"
                onClick={() => setAsked("remove")}
              >
                Remove
              </Button>
            </div>
          )
        }
      >
        <p className="text-muted">
          {state === null ? (
            "A code of an app on your phone, asked for after your password or a one-time link. Then nobody signs in with your password alone."
          ) : (
            <>
              You set up an authenticator app <RelativeTime at={state.confirmedAt} />.{" "}
              {recoveryWords(state.recoveryCodesLeft)}
            </>
          )}
        </p>
      </Card>
      {asked === "renew" ? (
        <Confirm title="Make new recovery codes?" action="Make new codes" onConfirm={onRenew} onClose={close}>
          The earlier recovery codes stop working.
        </Confirm>
      ) : null}
      {asked === "remove" ? (
        <Confirm
          title="Remove your second factor?"
          action="Remove"
          danger
          onConfirm={onRemove}
          onClose={close}
        >
          Then a password or a one-time link alone signs you in. Your other sessions end.
        </Confirm>
      ) : null}
    </>
  );
}

function recoveryWords(left: number): string {
  if (left === 0) return "You have no recovery code left. Make new ones.";
  return plural(left, ["# recovery code is left.", "# recovery codes are left."]);
}
