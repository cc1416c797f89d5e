import { type ReactNode, useState } from "react";
import { formatCount } from "../../../app/format/quantity.ts";
import {
  organizationSettingNames,
  type OrganizationSettings,
  organizationSettings,
} from "../../../app/queue-settings.ts";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import type { QueueSettingViews } from "../data/rows.ts";
import { inUnits, parseSettings, typedSettings } from "./parse-settings.ts";

type Props = {
  readonly settings: QueueSettingViews | undefined;
  /** The values before the last change of this page; null without one. */
  readonly before: OrganizationSettings | null;
  readonly onSave: (values: OrganizationSettings) => void;
  readonly initiallyOpen?: boolean;
};

/** Shows the organization's limits of the queue, and changes them. */
export function QueueSettings({ settings, before, onSave, initiallyOpen = false }: Props): ReactNode {
  const [isOpen, setOpen] = useState(initiallyOpen);
  if (settings === undefined) return null;
  return (
    <Card
      title="Limits"
      aside={
        <div className="-mr-2.5 flex gap-1">
          {before === null ? null : (
            <Button size="sm" look="quiet" onClick={() => onSave(before)}>
              Undo the last change
            </Button>
          )}
          <Button size="sm" look="quiet" onClick={() => setOpen(true)}>
            Change limits
          </Button>
        </div>
      }
    >
      <dl className="grid gap-x-6 gap-y-2 sm:grid-cols-2">
        {organizationSettingNames.map((name) => {
          const { own, operators } = settings[name];
          return (
            <div key={name} className="flex items-baseline justify-between gap-3">
              <dt className="text-muted">{organizationSettings[name].words}</dt>
              <dd className="whitespace-nowrap">
                {formatCount(inUnits(name, own ?? operators))}
                {own === null ? <span className="text-xs text-muted"> (default)</span> : null}
              </dd>
            </div>
          );
        })}
      </dl>
      {isOpen ? <SettingsDialog settings={settings} onSave={onSave} onClose={() => setOpen(false)} /> : null}
    </Card>
  );
}

type DialogProps = Pick<Props, "onSave"> & {
  readonly settings: QueueSettingViews;
  readonly onClose: () => void;
};

function SettingsDialog({ settings, onSave, onClose }: DialogProps): ReactNode {
  const [typed, setTyped] = useState(() => typedSettings(settings));
  const { values, errors } = parseSettings(typed, settings);
  return (
    <Dialog title="Limits of the queue" onClose={onClose}>
      <DialogForm
        action="Save"
        disabled={values === null}
        onSubmit={() => {
          if (values === null) return;
          onSave(values);
          onClose();
        }}
        onClose={onClose}
      >
        {organizationSettingNames.map((name) => {
          const { words, hint } = organizationSettings[name];
          const { operators } = settings[name];
          return (
            <Field
              key={name}
              label={words}
              hint={`${hint} Leave empty for the server's value, ${formatCount(inUnits(name, operators))}.`}
              inputMode="numeric"
              value={typed[name]}
              error={errors[name] ?? null}
              onChange={(event) => setTyped({ ...typed, [name]: event.target.value })}
            />
          );
        })}
      </DialogForm>
    </Dialog>
  );
}
