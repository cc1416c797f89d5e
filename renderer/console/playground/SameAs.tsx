import { type ReactNode, useState } from "react";
import { Copyable } from "../../ui/controls/Copyable.tsx";
import { Tabs } from "../../ui/controls/Tabs.tsx";
import { type ApiServer, callSnippets } from "../keys/snippets.ts";
import type { ApiCall } from "./playground-request.ts";

/** The same call from a program. It reads its key from a variable, since the playground's own key ends within a day. */
export function SameAs({ server, call }: { readonly server: ApiServer; readonly call: ApiCall }): ReactNode {
  const [shown, setShown] = useState("curl");
  return (
    <Tabs
      label="The same call from a program"
      value={shown}
      onChange={setShown}
      tabs={callSnippets(server, call, null).map(({ label, text }) => ({
        value: label,
        label,
        content: <Copyable block text={text} label={`the ${label} example`} />,
      }))}
    />
  );
}
