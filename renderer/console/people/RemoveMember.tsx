import { type ReactNode, useState } from "react";
import { plural } from "../../../app/format/quantity.ts";
import { formatExactCredits } from "../../../app/money/credits.ts";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import type { MemberHoldings, MemberRow, OwnerId } from "../data/rows.ts";

type Things = OwnerId | "end";

type Props = {
  readonly member: MemberRow;
  /** What the member has; undefined while it loads. */
  readonly holdings: MemberHoldings | undefined;
  /** Given credits that the member has not used; undefined while they load, and for those who do not see them. */
  readonly grantedMicro: bigint | undefined;
  /** Chooses the new owner. */
  readonly ownerPicker: (value: OwnerId | null, onChange: (owner: OwnerId | null) => void) => ReactNode;
  /** Removes the member. Resolves to false if the server refused. */
  readonly onRemove: (things: Things | null) => Promise<boolean>;
  readonly onClose: () => void;
};

/** Removes a member, after asking what happens to their keys and devices. */
export function RemoveMember(props: Props): ReactNode {
  const { member, holdings, grantedMicro = 0n, ownerPicker, onRemove, onClose } = props;
  const [way, setWay] = useState<"hand-over" | "end">("hand-over");
  const [heir, setHeir] = useState<OwnerId | null>(null);
  const hasThings = holdings !== undefined && holdings.keys + holdings.devices > 0;
  const things = way === "end" ? "end" : heir;
  const ready = holdings !== undefined && (!hasThings || things !== null);
  return (
    <Dialog title={`Remove ${member.name}?`} onClose={onClose}>
      <DialogForm
        action="Remove"
        disabled={!ready}
        onSubmit={() =>
          ready
            ? onRemove(hasThings ? things : null).then((removed) => (removed ? onClose() : undefined))
            : undefined
        }
        onClose={onClose}
      >
        <p className="text-muted">
          {member.name} cannot sign in anymore, and all their sessions end. The audit trail keeps their name.
        </p>
        {grantedMicro > 0n ? (
          <p className="text-muted">{`Unused credits that ${member.name} was given are taken back: ${formatExactCredits(grantedMicro)}`}</p>
        ) : null}
        {hasThings ? (
          <fieldset className="grid gap-2">
            <legend className="mb-1 font-medium">
              {member.name} owns {thingsWords(holdings)}
            </legend>
            <Choice
              label="Hand them over"
              checked={way === "hand-over"}
              onChoose={() => setWay("hand-over")}
            />
            {way === "hand-over" ? <div className="pl-6.5">{ownerPicker(heir, setHeir)}</div> : null}
            <Choice
              label="Revoke the keys and retire the devices"
              checked={way === "end"}
              onChoose={() => setWay("end")}
            />
          </fieldset>
        ) : null}
      </DialogForm>
    </Dialog>
  );
}

/** 100 means 100 or more. */
function thingsWords({ keys, devices }: MemberHoldings): string {
  const ofKeys = keys >= 100 ? "100 or more keys" : plural(keys, ["# key", "# keys"]);
  const ofDevices = devices >= 100 ? "100 or more devices" : plural(devices, ["# device", "# devices"]);
  if (devices === 0) return ofKeys;
  return keys === 0 ? ofDevices : `${ofKeys} and ${ofDevices}`;
}

type ChoiceProps = { readonly label: string; readonly checked: boolean; readonly onChoose: () => void };

function Choice({ label, checked, onChoose }: ChoiceProps): ReactNode {
  return (
    <label className="flex items-center gap-2.5">
      <input
        type="radio"
        name="things"
        className="size-4 accent-accent"
        checked={checked}
        onChange={onChoose}
      />
      {label}
    </label>
  );
}
