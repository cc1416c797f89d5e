import { type ReactNode, useState } from "react";
import { limits } from "../../../app/jobs/limits.ts";
import { roleDescriptions, roleWords } from "../../../app/people/roles.ts";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { Form } from "../../ui/controls/Form.tsx";
import type { Member } from "../data/session-context.ts";

type Props = {
  readonly member: Member;
  readonly onSave: (change: { readonly name: string; readonly email?: string }) => Promise<boolean>;
  readonly onSignOut: () => void;
};

/** The member's own name and address, which they may change, and their roles. */
export function Profile({ member, onSave, onSignOut }: Props): ReactNode {
  const [name, setName] = useState(member.name);
  const [email, setEmail] = useState(member.email ?? "");
  const [isMissing, setIsMissing] = useState(false);
  const [busy, setBusy] = useState(false);
  const changed = name.trim() !== member.name || email.trim() !== (member.email ?? "");
  const submit = (): void => {
    setIsMissing(name.trim() === "");
    if (name.trim() === "") return;
    setBusy(true);
    const address = email.trim() === "" ? {} : { email: email.trim() };
    void onSave({ name: name.trim(), ...address }).finally(() => setBusy(false));
  };
  return (
    <Card
      title="You"
      aside={
        <Button size="sm" onClick={onSignOut}>
          Sign out
        </Button>
      }
    >
      <div className="grid gap-6 md:grid-cols-2">
        <Form onSubmit={submit}>
          <Field
            label="Name"
            autoComplete="name"
            maxLength={limits.nameChars}
            value={name}
            error={isMissing ? "Enter your name." : null}
            onChange={(event) => setName(event.target.value)}
          />
          <Field
            label="E-mail address"
            type="email"
            autoComplete="email"
            maxLength={254}
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
          <div>
            <Button type="submit" look="primary" disabled={!changed || busy}>
              Save
            </Button>
          </div>
        </Form>
        <div>
          <h3 className="mb-1 font-medium">Your roles</h3>
          <ul className="grid gap-2">
            {member.roles.map((role) => (
              <li key={role}>
                {roleWords(role)}
                <p className="text-xs text-muted">{roleDescriptions[role]}</p>
              </li>
            ))}
          </ul>
        </div>
      </div>
    </Card>
  );
}
