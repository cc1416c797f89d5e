import { type ReactNode, useState } from "react";
import { isOfKey, type WebhookEvent } from "../../../app/webhooks/events.ts";
import { Checkbox } from "../../ui/controls/Checkbox.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { Select } from "../../ui/controls/Select.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import type { WebhookRow } from "../data/rows.ts";
import { eventGroupWords } from "./webhook-words.ts";

type KeyId = NonNullable<WebhookRow["key"]>["keyId"];

type Settings = {
  readonly name: string;
  readonly url: string;
  events: WebhookEvent[];
  readonly apiKeyId: KeyId | null;
};

type Props = {
  /** Null: a new one. */
  readonly webhook: WebhookRow | null;
  readonly keys: readonly { readonly value: KeyId; readonly label: string }[];
  /** Resolves to false if the server refused. */
  readonly onSave: (settings: Settings) => Promise<boolean>;
  readonly onClose: () => void;
};

/** Chooses a webhook's name, address, events and key. */
export function WebhookDialog({ webhook, keys, onSave, onClose }: Props): ReactNode {
  const [name, setName] = useState(webhook?.name ?? "");
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [events, setEvents] = useState<readonly WebhookEvent[]>(webhook?.events ?? []);
  const [keyId, setKeyId] = useState<string>(webhook?.key?.keyId ?? "");
  const known = webhook?.key;
  const offered = [
    ...keys,
    // A playground's key, or one that is not listed anymore.
    ...(known === null || known === undefined || keys.some(({ value }) => value === known.keyId)
      ? []
      : [{ value: known.keyId, label: known.name }]),
  ];
  const chosen = events.filter((event) => keyId === "" || isOfKey(event));
  return (
    <Dialog title={webhook === null ? "Add a webhook" : `Change ${webhook.name}`} onClose={onClose}>
      <DialogForm
        action={webhook === null ? "Add" : "Save"}
        disabled={name.trim() === "" || url.trim() === "" || chosen.length === 0}
        onSubmit={async () => {
          const apiKeyId = offered.find(({ value }) => value === keyId)?.value ?? null;
          if (await onSave({ name: name.trim(), url: url.trim(), events: [...chosen], apiKeyId })) onClose();
        }}
        onClose={onClose}
      >
        <Field
          label="Name"
          hint="The program that gets the messages."
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Field
          label="Address"
          type="url"
          hint="It begins with https:// and is not in a private network. The server posts JSON there."
          placeholder="https://"
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
        <Select
          label="Jobs and batches"
          value={keyId}
          options={[
            { value: "", label: "Of all API keys" },
            ...offered.map(({ value, label }) => ({ value, label: `Only of ${label}` })),
          ]}
          onChange={setKeyId}
        />
        <fieldset className="grid gap-3">
          <legend className="mb-1 font-medium">Events</legend>
          {eventGroupWords().map(({ title, note, events: ofGroup }) => (
            <div key={title} className="grid gap-1">
              <p className="text-xs text-muted">
                <span className="font-medium text-ink">{title}</span> {note}
              </p>
              <div className="grid grid-cols-1 gap-x-4 gap-y-1 sm:grid-cols-2">
                {ofGroup.map((event) => (
                  <Checkbox
                    key={event}
                    label={event}
                    checked={chosen.includes(event)}
                    disabled={keyId !== "" && !isOfKey(event)}
                    onChange={(checked) =>
                      setEvents(checked ? [...events, event] : events.filter((one) => one !== event))
                    }
                  />
                ))}
              </div>
            </div>
          ))}
        </fieldset>
      </DialogForm>
    </Dialog>
  );
}
