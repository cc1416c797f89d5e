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
import { type Change, ReviewChanges } from "../../ui/overlays/ReviewChanges.tsx";
import type { QueueSettingViews, SettingReaches } from "../data/rows.ts";
import { inUnits, parseSettings, typedSettings } from "./parse-settings.ts";
import { reachWords } from "./reach-words.ts";

type Props = {
  readonly settings: QueueSettingViews | undefined;
  /** The values before the last change of this page; null without one. */
  readonly before: OrganizationSettings | null;
  /** Values that wait for a look at what they change; null without any. */
  readonly draft: OrganizationSettings | null;
  /** The jobs that the draft touches. Undefined while they are looked up. */
  readonly reaches: SettingReaches | undefined;
  readonly onDraft: (values: OrganizationSettings | null) => void;
  /** Null for those who may not change them. */
  readonly onSave: ((values: OrganizationSettings) => void) | null;
  readonly onUndo: (values: OrganizationSettings) => void;
  readonly initiallyOpen?: boolean;
};

/** Shows the organization's limits of the queue, and changes them after a preview. */
export function QueueSettings(props: Props): ReactNode {
  const { settings, before, onSave, onUndo, initiallyOpen = false } = props;
  const [isOpen, setOpen] = useState(initiallyOpen);
  if (settings === undefined) return null;
  return (
    <Card
      title="Limits"
      aside={
        onSave === null ? null : (
          <div className="-mr-2.5 flex gap-1">
            {before === null ? null : (
              <Button size="sm" look="quiet" onClick={() => onUndo(before)}>
                Undo the last change
              </Button>
            )}
            <Button size="sm" look="quiet" onClick={() => setOpen(true)}>
              Change limits
            </Button>
          </div>
        )
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
      {isOpen && onSave !== null ? (
        <SettingsDialog {...props} settings={settings} onSave={onSave} onClose={() => setOpen(false)} />
      ) : null}
    </Card>
  );
}

type DialogProps = Pick<Props, "draft" | "reaches" | "onDraft"> & {
  readonly onSave: NonNullable<Props["onSave"]>;
  readonly settings: QueueSettingViews;
  readonly onClose: () => void;
};

function SettingsDialog({ settings, draft, reaches, onDraft, onSave, onClose }: DialogProps): ReactNode {
  const [typed, setTyped] = useState(() => typedSettings(settings));
  const { values, errors } = parseSettings(typed, settings);
  if (draft !== null) {
    return (
      <ReviewChanges
        title="Change the limits of the queue?"
        changes={changesOf(settings, draft, reaches)}
        onSave={() => {
          onSave(draft);
          onClose();
        }}
        onBack={() => onDraft(null)}
      >
        <p>The new limits apply to requests from now on. You can undo this.</p>
      </ReviewChanges>
    );
  }
  const hasChanged = values !== null && changesOf(settings, values, undefined).length > 0;
  return (
    <Dialog title="Limits of the queue" onClose={onClose}>
      <DialogForm
        action="Preview"
        disabled={!hasChanged}
        onSubmit={() => {
          onDraft(values);
          return undefined;
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

function changesOf(
  settings: QueueSettingViews,
  values: OrganizationSettings,
  reaches: SettingReaches | undefined,
): readonly Change[] {
  return organizationSettingNames.flatMap((name) => {
    const { own, operators } = settings[name];
    if (values[name] === own) return [];
    const words = (value: number | null): string => {
      const number = formatCount(inUnits(name, value ?? operators));
      return value === null ? `${number} (default)` : number;
    };
    return {
      name: organizationSettings[name].words,
      before: words(own),
      after: words(values[name]),
      reach: reaches === undefined ? undefined : reachWords(name, reaches[name]),
    };
  });
}
