import { type ReactNode, useState } from "react";
import { type DeviceLimits as Limits, limitableKinds } from "../../../app/devices/limits.ts";
import { Field } from "../../ui/controls/Field.tsx";
import { Switch } from "../../ui/controls/Switch.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import type { DeviceRow } from "../data/rows.ts";
import { parseDeviceLimits, typedLimits } from "./parse-device-limits.ts";

type Props = {
  readonly device: DeviceRow;
  /** The organization's models. */
  readonly modelIds: readonly string[];
  readonly onSave: (limits: Limits) => void;
  readonly onClose: () => void;
};

/** Edits what a device may do. Without limits it may do everything that it offers. */
export function DeviceLimits({ device, modelIds, onSave, onClose }: Props): ReactNode {
  const [typed, setTyped] = useState(typedLimits(device.limits ?? {}));
  const parsed = parseDeviceLimits(typed);
  const { models } = typed;
  // A retired model may still be in the list.
  const shown = [...new Set([...modelIds, ...(models ?? [])])].sort();
  return (
    <Dialog title={`Limits of ${device.name}`} onClose={onClose}>
      <DialogForm
        action="Save"
        disabled={parsed.kind === "wrong"}
        onSubmit={() => {
          if (parsed.kind === "ok") {
            onSave(parsed.limits);
            onClose();
          }
          return undefined;
        }}
        onClose={onClose}
      >
        <p className="text-muted">
          The device gets no jobs beyond these limits, whatever it offers. Running jobs go on.
        </p>
        <Field
          label="Jobs at once"
          hint="Empty: as many as the device offers."
          inputMode="numeric"
          value={typed.jobs}
          error={parsed.kind === "wrong" ? parsed.jobs : null}
          onChange={(event) => setTyped({ ...typed, jobs: event.target.value })}
        />
        <Field
          label="Memory"
          hint="Empty: as much as the device offers. Jobs that require more go to other devices."
          unit="GB"
          inputMode="numeric"
          value={typed.gigabytes}
          error={parsed.kind === "wrong" ? parsed.gigabytes : null}
          onChange={(event) => setTyped({ ...typed, gigabytes: event.target.value })}
        />
        <Field
          label="Context"
          hint="Empty: as long as the device offers. Jobs that need more go to other devices."
          unit={/* @wc-include */ "tokens"}
          inputMode="numeric"
          value={typed.contextTokens}
          error={parsed.kind === "wrong" ? parsed.contextTokens : null}
          onChange={(event) => setTyped({ ...typed, contextTokens: event.target.value })}
        />
        {limitableKinds.map((kind) => (
          <Row
            key={kind}
            label={kindNames[kind]}
            checked={typed.kinds.includes(kind)}
            onChange={(on) =>
              setTyped({
                ...typed,
                kinds: limitableKinds.filter((each) => (each === kind ? on : typed.kinds.includes(each))),
              })
            }
          />
        ))}
        <Row
          label="Jobs that need a GPU"
          checked={typed.gpu}
          onChange={(gpu) => setTyped({ ...typed, gpu })}
        />
        <Row
          label="All models"
          checked={models === null}
          onChange={(all) => setTyped({ ...typed, models: all ? null : [...modelIds] })}
        />
        {models === null ? null : (
          <ul className="grid max-h-48 gap-2 overflow-y-auto border-l border-line pl-3">
            {shown.map((modelId) => (
              <li key={modelId}>
                <Row
                  label={modelId}
                  checked={models.includes(modelId)}
                  onChange={(on) =>
                    setTyped({
                      ...typed,
                      models: on ? [...models, modelId] : models.filter((each) => each !== modelId),
                    })
                  }
                />
              </li>
            ))}
          </ul>
        )}
      </DialogForm>
    </Dialog>
  );
}

const kindNames: Readonly<Record<(typeof limitableKinds)[number], string>> = {
  chat: "Chats",
  completion: "Completions",
  embedding: "Embeddings",
  tokens: "Tokens of texts",
};

type RowProps = {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
};

function Row({ label, checked, onChange }: RowProps): ReactNode {
  return (
    <div className="flex items-center justify-between gap-3">
      <span className="min-w-0 font-medium wrap-anywhere">{label}</span>
      <Switch label={label} checked={checked} onChange={onChange} />
    </div>
  );
}
