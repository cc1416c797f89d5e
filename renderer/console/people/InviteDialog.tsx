import { type ReactNode, useState } from "react";
import { limits } from "../../../app/jobs/limits.ts";
import type { Role } from "../../../app/people/roles.ts";
import { Field } from "../../ui/controls/Field.tsx";
import { Select } from "../../ui/controls/Select.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import { sayServerSentence } from "../data/server-sentences.ts";
import { ShownOnce } from "../secrets/ShownOnce.tsx";
import { RolesField } from "./RolesField.tsx";

export type Invitee = {
  readonly name: string;
  readonly email?: string;
  readonly roles: Role[];
  readonly days: number;
};

/** `mailedTo`: the address that got the link. Null: nobody got it; `problem` says why if that was tried. */
export type Invited = {
  readonly link: string;
  readonly mailedTo: string | null;
  readonly problem: string | null;
};

type Props = {
  readonly mayMakeOwners: boolean;
  /** Whether an invitation with an address is mailed. */
  readonly mails: boolean;
  /** Creates the invitation. Resolves to its link, or to null if the server refused. */
  readonly onInvite: (invitee: Invitee) => Promise<Invited | null>;
  readonly onClose: () => void;
};

const days = [
  { value: "1", label: "1 day" },
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
];

/** Invites somebody, and shows the link once. */
export function InviteDialog({ mayMakeOwners, mails, onInvite, onClose }: Props): ReactNode {
  const [typed, setTyped] = useState("");
  const [email, setEmail] = useState("");
  const [roles, setRoles] = useState<readonly Role[]>([]);
  const [lasts, setLasts] = useState("7");
  const [errors, setErrors] = useState<{ readonly name?: string; readonly roles?: string }>({});
  const [link, setLink] = useState<Invited | null>(null);
  const name = typed.trim();
  if (link !== null) {
    return (
      <Dialog title={`Invitation for ${name}`} onClose={onClose}>
        {link.problem === null ? null : (
          <p role="alert" className="mb-3 text-bad">
            The invitation was not mailed: {sayServerSentence(link.problem)}
          </p>
        )}
        <ShownOnce secret={link.link} name="link" onDone={onClose}>
          {link.mailedTo === null ? `Send the link to ${name}.` : `The link was mailed to ${link.mailedTo}.`}{" "}
          It works once, for {lasts === "1" ? "1 day" : `${lasts} days`}. The person who opens it joins with
          these roles, so send it to nobody else.
        </ShownOnce>
      </Dialog>
    );
  }
  return (
    <Dialog title="Invite somebody" onClose={onClose}>
      <DialogForm
        action="Create invitation"
        onSubmit={() => {
          const found = {
            ...(name === "" ? { name: "Enter a name." } : {}),
            ...(roles.length === 0 ? { roles: "Choose at least one role." } : {}),
          };
          setErrors(found);
          if (Object.keys(found).length > 0) return undefined;
          const address = email.trim() === "" ? {} : { email: email.trim() };
          return onInvite({ name, ...address, roles: [...roles], days: Number(lasts) }).then(setLink);
        }}
        onClose={onClose}
      >
        <Field
          label="Name"
          maxLength={limits.nameChars}
          value={typed}
          error={errors.name ?? null}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Field
          label="E-mail address (optional)"
          {...(mails ? { hint: "The invitation is mailed to it." } : {})}
          type="email"
          maxLength={254}
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <RolesField
          value={roles}
          mayMakeOwners={mayMakeOwners}
          error={errors.roles ?? null}
          onChange={setRoles}
        />
        <Select label="The link works for" value={lasts} options={days} onChange={setLasts} />
      </DialogForm>
    </Dialog>
  );
}
