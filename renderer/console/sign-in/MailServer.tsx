import { useQuery } from "convex/react";
import type { FunctionReturnType } from "convex/server";
import { type ReactNode, useState } from "react";
import { mailSecurities, mailSecurityWords } from "../../../app/people/mail.ts";
import { api } from "../../../convex/_generated/api.js";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { Select } from "../../ui/controls/Select.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import { sayServerSentence } from "../data/server-sentences.ts";
import { useAct, useLongAct, useScope, useSession } from "../data/session-context.ts";

type Settings = NonNullable<FunctionReturnType<typeof api.console.access.mail.settings>>;

/** The server through which the organization sends mails. */
export function MailServerCard(): ReactNode {
  const session = useSession();
  const settings = useQuery(api.console.access.mail.settings, { session });
  const save = useLongAct(api.console.access.mail.save);
  const remove = useAct(api.console.access.mail.remove);
  const test = useLongAct(api.console.access.mail.test);
  const mayChange = useScope("sign-in.change") !== null;
  if (settings === undefined) return null;
  return (
    <MailServerView
      settings={settings}
      mayChange={mayChange}
      onSave={(changed, password) =>
        save(
          { settings: changed, ...(password === "" ? {} : { password }) },
          "The mail server was saved. Send a test mail now.",
        )
      }
      onRemove={() => void remove({}, "The mail server was removed.")}
      onTest={() =>
        test({}, ({ problem, to }) =>
          problem === null
            ? { words: `The server took a test mail to ${to}.` }
            : { words: `The test mail was not sent: ${sayServerSentence(problem)}`, tone: "bad" },
        )
      }
    />
  );
}

type ViewProps = {
  /** Null: none is set. */
  readonly settings: Settings | null;
  readonly mayChange: boolean;
  /** An empty password keeps the earlier one. Resolves to whether the server accepted it. */
  readonly onSave: (settings: Settings, password: string) => Promise<boolean>;
  readonly onRemove: () => void;
  readonly onTest: () => Promise<unknown>;
};

export function MailServerView({ settings, mayChange, onSave, onRemove, onTest }: ViewProps): ReactNode {
  const [asked, setAsked] = useState<"edit" | "remove" | null>(null);
  const [isTesting, setIsTesting] = useState(false);
  const close = (): void => setAsked(null);
  const test = (): void => {
    setIsTesting(true);
    void onTest().finally(() => setIsTesting(false));
  };
  return (
    <>
      <Card
        title="Mail"
        aside={
          mayChange && settings === null ? (
            <Button size="sm" onClick={() => setAsked("edit")}>
              Set a mail server
            </Button>
          ) : null
        }
      >
        <p className="text-muted">
          {settings === null
            ? "Without a mail server, you send invitations yourself, and nobody gets a link for a forgotten password."
            : `Mails come from ${settings.from}, through ${settings.host}, port ${String(settings.port)}.`}
        </p>
        {settings === null || !mayChange ? null : (
          <div className="mt-3 flex flex-wrap gap-1.5">
            <Button size="sm" disabled={isTesting} onClick={test}>
              Send a test mail
            </Button>
            <Button size="sm" onClick={() => setAsked("edit")}>
              Change
            </Button>
            <Button
              size="sm"
              look="quiet"
              aria-label="Remove the mail server"
              onClick={() => setAsked("remove")}
            >
              Remove
            </Button>
          </div>
        )}
      </Card>
      {asked === "edit" ? <MailServerDialog settings={settings} onSave={onSave} onClose={close} /> : null}
      {asked === "remove" ? (
        <Confirm title="Remove the mail server?" action="Remove" danger onConfirm={onRemove} onClose={close}>
          Invitations are not mailed anymore, and nobody gets a link for a forgotten password.
        </Confirm>
      ) : null}
    </>
  );
}

type DialogProps = Pick<ViewProps, "settings" | "onSave"> & { readonly onClose: () => void };

export function MailServerDialog({ settings, onSave, onClose }: DialogProps): ReactNode {
  const [form, setForm] = useState({
    host: "",
    user: "",
    from: "",
    security: "starttls" as Settings["security"],
    ...settings,
    port: String(settings?.port ?? 587),
    password: "",
  });
  const change = (changed: Partial<typeof form>): void => setForm((now) => ({ ...now, ...changed }));
  const text = (field: "host" | "port" | "user" | "password" | "from") => ({
    value: form[field],
    onChange: (event: { readonly target: { readonly value: string } }) =>
      change({ [field]: event.target.value }),
  });
  return (
    <Dialog title="Mail server" onClose={onClose}>
      <DialogForm
        action="Save"
        disabled={form.host.trim() === "" || form.from.trim() === ""}
        onSubmit={() => {
          const { password, port, ...rest } = form;
          return onSave({ ...rest, port: Number(port) }, password).then((saved) => {
            if (saved) onClose();
          });
        }}
        onClose={onClose}
      >
        <Field label="Server" placeholder="smtp.example.org" maxLength={250} {...text("host")} />
        <Select
          label="Protection"
          value={form.security}
          options={mailSecurities.map((value) => ({ value, label: mailSecurityWords(value) }))}
          onChange={(value) =>
            change({ security: mailSecurities.find((each) => each === value) ?? form.security })
          }
        />
        <Field label="Port" inputMode="numeric" maxLength={5} {...text("port")} />
        <Field label="User (optional)" autoComplete="off" maxLength={250} {...text("user")} />
        <Field
          label="Password"
          type="password"
          autoComplete="off"
          hint={
            settings === null || settings.user === ""
              ? "It is never shown again."
              : "Leave it empty to keep the present one."
          }
          {...text("password")}
        />
        <Field
          label="Sender’s address"
          type="email"
          placeholder="gleaner@example.org"
          maxLength={254}
          {...text("from")}
        />
      </DialogForm>
    </Dialog>
  );
}
