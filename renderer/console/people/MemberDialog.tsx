import { type ReactNode, useState } from "react";
import { limits } from "../../../app/jobs/limits.ts";
import type { Role } from "../../../app/people/roles.ts";
import { Checkbox } from "../../ui/controls/Checkbox.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import type { MemberRow, TeamRow } from "../data/rows.ts";
import { RolesField } from "./RolesField.tsx";

export type MemberEdit = {
  readonly name: string;
  readonly email?: string;
  readonly roles: Role[];
  readonly teamIds: MemberRow["teamIds"];
};

type Props = {
  readonly member: MemberRow;
  readonly teams: readonly TeamRow[];
  readonly mayMakeOwners: boolean;
  /** Saves the changes. Resolves to false if the server refused. */
  readonly onSave: (edit: MemberEdit) => Promise<boolean>;
  readonly onClose: () => void;
};

/** Changes a member's name, address, roles and teams. */
export function MemberDialog({ member, teams, mayMakeOwners, onSave, onClose }: Props): ReactNode {
  const [name, setName] = useState(member.name);
  const [email, setEmail] = useState(member.email ?? "");
  const [roles, setRoles] = useState<readonly Role[]>(member.roles);
  const [teamIds, setTeamIds] = useState(member.teamIds);
  const [confirms, setConfirms] = useState(false);
  const [error, setError] = useState<string | null>(null);
  return (
    <Dialog title={`Edit ${member.name}`} onClose={onClose}>
      <DialogForm
        action="Save"
        onSubmit={() => {
          setError(roles.length === 0 ? "Choose at least one role." : null);
          if (roles.length === 0) return undefined;
          // To send an address is to confirm it.
          const sends = email.trim() !== "" && (email.trim() !== member.email || confirms);
          const address = sends ? { email: email.trim() } : {};
          return onSave({ name: name.trim(), ...address, roles: [...roles], teamIds }).then((saved) => {
            if (saved) onClose();
          });
        }}
        onClose={onClose}
      >
        <Field
          label="Name"
          maxLength={limits.nameChars}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Field
          label="E-mail address"
          type="email"
          maxLength={254}
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        {member.emailClaimed && email.trim() === member.email ? (
          <Checkbox
            label="I know that this address is theirs"
            hint="The member typed it. Until you confirm it, single sign-on links nobody by it."
            checked={confirms}
            onChange={setConfirms}
          />
        ) : null}
        <RolesField value={roles} mayMakeOwners={mayMakeOwners} error={error} onChange={setRoles} />
        {teams.length === 0 ? null : (
          <fieldset className="grid gap-2">
            <legend className="mb-1 font-medium">Teams</legend>
            {teams.map(({ teamId, name: team }) => (
              <Checkbox
                key={teamId}
                label={team}
                checked={teamIds.includes(teamId)}
                onChange={(checked) =>
                  setTeamIds(checked ? [...teamIds, teamId] : teamIds.filter((id) => id !== teamId))
                }
              />
            ))}
          </fieldset>
        )}
      </DialogForm>
    </Dialog>
  );
}
