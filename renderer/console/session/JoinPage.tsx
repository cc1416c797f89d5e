import type { ReactNode } from "react";
import { isJoinAddress, joinCommand } from "../../../app/join-command.ts";
import { appLink, type JoinInvitation } from "../../../app/join-link.ts";
import { Copyable } from "../../ui/controls/Copyable.tsx";
import { FullPage } from "../shell/FullPage.tsx";

type Props = {
  readonly invitation: Pick<JoinInvitation, "code" | "pin">;
  /** The deployment that this page belongs to, or one that its address names if it belongs to none. */
  readonly url: string;
};

/** Shows how a computer joins, to somebody who got a link and has no account. */
export function JoinPage({ invitation: { code, pin }, url }: Props): ReactNode {
  if (!isJoinAddress(url)) {
    return (
      <FullPage title="This link is not valid">
        <p>It does not name a server. Ask for another link.</p>
      </FullPage>
    );
  }
  return (
    <FullPage title="Let this computer join">
      <p>
        It then works for your organization while you do not use it, and gives way at your first input. You
        can pause it at any time. Its server is <strong>{new URL(url).host}</strong>: join only if you know
        it.
      </p>
      <ol className="grid list-decimal gap-4 pl-5">
        <li>
          <p className="mb-1.5">If Gleaner is installed here, open it with this invitation:</p>
          <p className="mb-3">
            <a autoFocus href={appLink({ code, url, pin })} className="font-medium text-accent underline">
              Open Gleaner
            </a>
          </p>
          <p className="mb-1.5">If nothing opens, paste this page’s address in its window, or this code:</p>
          <Copyable text={code} label="the code" />
        </li>
        <li>
          <p className="mb-1.5">Otherwise run this command in a clone of Gleaner’s repository:</p>
          <Copyable wrap text={joinCommand({ code, url, pin })} label="the command" />
          <p className="mt-1.5 text-xs">
            On Windows, leave out GLEANER_CODE=…, and enter the code in the window.
          </p>
        </li>
      </ol>
    </FullPage>
  );
}
