import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import { Button } from "../../ui/controls/Button.tsx";
import { Dialog, DialogActions } from "../../ui/overlays/Dialog.tsx";
import type { MemberRow } from "../data/rows.ts";
import { useAct } from "../data/session-context.ts";
import { makeSecret } from "../secrets/make-secret.ts";
import { sha256 } from "../secrets/sha256.ts";
import { ShownOnce } from "../secrets/ShownOnce.tsx";
import { linkOf } from "../session/sign-in.ts";

type Props = { readonly member: MemberRow; readonly onClose: () => void };

/** Makes a one-time sign-in link for a member who cannot sign in otherwise. */
export function SignInLink({ member: { memberId, name }, onClose }: Props): ReactNode {
  const create = useAct(api.console.people.signInLink);
  const [link, setLink] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const make = async (): Promise<void> => {
    setBusy(true);
    const token = makeSecret("gs_");
    const made = await create({ memberId, tokenHash: sha256(token) });
    setBusy(false);
    if (made) setLink(linkOf(window.location, "signin", token));
  };
  return (
    <Dialog title={`Sign-in link for ${name}`} onClose={onClose}>
      {link === null ? (
        <>
          <p className="text-muted">
            The link signs its holder in as {name}, once, within a day. The audit trail says that you made it.
          </p>
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button look="primary" disabled={busy} onClick={() => void make()}>
              Create link
            </Button>
          </DialogActions>
        </>
      ) : (
        <ShownOnce secret={link} name="link" onDone={onClose}>
          Send the link to {name} and to nobody else. It works once, within a day.
        </ShownOnce>
      )}
    </Dialog>
  );
}
