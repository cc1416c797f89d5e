import type { ReactNode } from "react";
import { isLoopback, type JoinAddress, joinCommand } from "../../../app/join-command.ts";
import { joinLink } from "../../../app/join-link.ts";
import { Copyable } from "../../ui/controls/Copyable.tsx";
import { ShownOnce } from "../secrets/ShownOnce.tsx";
import { ManagedFiles } from "./ManagedFiles.tsx";

type Props = {
  readonly code: string;
  /** The address by which devices join; null while it loads. */
  readonly address: JoinAddress | null;
  /** The console's address, as this browser opened it. */
  readonly page: string;
  readonly onDone: () => void;
};

/** Shows a new code once, with the link and the command by which another computer joins. */
export function CodeMade({ code, address, page, onDone }: Props): ReactNode {
  return (
    <ShownOnce secret={code} name="code" onDone={onDone}>
      <p>Send it to the people who will join. They enter it in Gleaner’s window.</p>
      {address === null || isLoopback(page) ? null : (
        <div className="mt-2 grid grid-cols-1 gap-2">
          <p>Or send them this link, which shows how to join:</p>
          <Copyable wrap text={joinLink(page, { code, ...address })} label="the link" />
        </div>
      )}
      {address === null ? null : isLoopback(address.url) ? (
        <div className="mt-2 grid grid-cols-1 gap-2">
          <p>Only this computer can reach the server now. To let others join, start it with:</p>
          <Copyable wrap text="npm start -- --host 0.0.0.0" label="the command" />
        </div>
      ) : (
        <div className="mt-2 grid grid-cols-1 gap-2">
          <p>Or run this command on the other computer, in a clone of Gleaner’s repository:</p>
          <Copyable wrap text={joinCommand({ code, ...address })} label="the command" />
          <p className="text-xs">
            {address.pin === null ? null : "With the pin, the computer accepts only this server."} On Windows,
            leave out GLEANER_CODE=…, and enter the code in the window.
          </p>
          <ManagedFiles code={code} address={address} />
        </div>
      )}
    </ShownOnce>
  );
}
