import { type ReactNode, useId, useState } from "react";
import { Copyable } from "../../ui/controls/Copyable.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { Switch } from "../../ui/controls/Switch.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import { type ProviderForm, type ProviderSettings, settingsOf } from "./provider-form.ts";

type Props = {
  readonly initial: ProviderForm;
  readonly isNew: boolean;
  /** The address that the provider must allow. */
  readonly redirectUri: string;
  /** Resolves to whether the server accepted it. */
  readonly onSave: (settings: ProviderSettings, clientSecret: string | null) => Promise<boolean>;
  readonly onClose: () => void;
};

/** The settings of a provider. */
export function ProviderDialog({ initial, isNew, redirectUri, onSave, onClose }: Props): ReactNode {
  const [form, setForm] = useState(initial);
  const [error, setError] = useState<string | null>(null);
  const change = (changed: Partial<ProviderForm>): void => setForm((now) => ({ ...now, ...changed }));
  const text = (
    field: "name" | "issuer" | "clientId" | "clientSecret" | "scopes" | "groupsClaim" | "emailDomains",
  ) => ({
    value: form[field],
    onChange: (event: { readonly target: { readonly value: string } }) =>
      change({ [field]: event.target.value }),
  });
  return (
    <Dialog title={isNew ? "New provider" : `Provider ${initial.name}`} onClose={onClose}>
      <DialogForm
        action={isNew ? "Add provider" : "Save"}
        onSubmit={() => {
          const settings = settingsOf(form);
          setError(typeof settings === "string" ? settings : null);
          if (typeof settings === "string") return undefined;
          const secret = form.clientSecret === "" ? null : form.clientSecret;
          return onSave(settings, secret).then((accepted) => {
            if (accepted) onClose();
          });
        }}
        onClose={onClose}
      >
        <div className="grid gap-1">
          <p className="font-medium">Redirect address</p>
          <Copyable wrap text={redirectUri} label="the redirect address" />
          <p className="text-xs text-muted">Allow this address at the provider.</p>
        </div>
        <Field label="Name" hint="The button says “Sign in with …”." {...text("name")} />
        <Field label="Issuer" placeholder="https://id.example.org" {...text("issuer")} />
        <Field label="Client ID" autoComplete="off" {...text("clientId")} />
        <Field
          label="Client secret"
          type="password"
          autoComplete="off"
          hint={isNew ? "It is never shown again." : "Leave it empty to keep the present one."}
          {...text("clientSecret")}
        />
        <Field label="Scopes" {...text("scopes")} />
        <Field
          label="Claim of groups"
          hint="For example “groups”, or “roles” with Entra."
          {...text("groupsClaim")}
        />
        <GroupRoles value={form.groups} error={error} onChange={(groups) => change({ groups })} />
        <Field
          label="Domains (optional)"
          hint="Only addresses of these domains may sign in, e.g. example.org."
          {...text("emailDomains")}
        />
        <Choice
          label="New people may join"
          hint="Otherwise only members whom you invited can sign in."
          checked={form.admitsUnknown}
          onChange={(admitsUnknown) => change({ admitsUnknown })}
        />
        <Choice
          label="Trust its addresses"
          hint="Only for a provider whose addresses your organization controls, such as your own Entra tenant."
          checked={form.trustsEmail}
          onChange={(trustsEmail) => change({ trustsEmail })}
        />
        <Choice
          label="In use"
          hint="If not, nobody can sign in with it, and its sessions end within an hour."
          checked={form.enabled}
          onChange={(enabled) => change({ enabled })}
        />
      </DialogForm>
    </Dialog>
  );
}

type GroupRolesProps = {
  readonly value: string;
  readonly error: string | null;
  readonly onChange: (value: string) => void;
};

function GroupRoles({ value, error, onChange }: GroupRolesProps): ReactNode {
  const id = useId();
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="font-medium">
        Roles of groups
      </label>
      <textarea
        id={id}
        rows={4}
        spellCheck={false}
        aria-invalid={error !== null}
        aria-describedby={`${id}-note`}
        placeholder={"gleaner-admins: admin\nstaff: requester, donor"}
        className="w-full min-w-0 rounded-md border border-edge bg-surface px-2.5 py-1.5 font-mono text-xs text-ink placeholder:text-faint"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <p
        id={`${id}-note`}
        role={error === null ? undefined : "alert"}
        className={error === null ? "text-xs text-muted" : "text-xs text-bad"}
      >
        {error ??
          "A line for each group. The group * stands for everybody. People without a role are refused."}
      </p>
    </div>
  );
}

type ChoiceProps = {
  readonly label: string;
  readonly hint: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
};

function Choice({ label, hint, checked, onChange }: ChoiceProps): ReactNode {
  return (
    <div className="flex items-start justify-between gap-3">
      <div>
        <p className="font-medium">{label}</p>
        <p className="text-xs text-muted">{hint}</p>
      </div>
      <Switch label={label} checked={checked} onChange={onChange} />
    </div>
  );
}
