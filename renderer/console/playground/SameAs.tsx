import type { ReactNode } from "react";
import { type ApiServer, callSnippets } from "../keys/snippets.ts";
import { SnippetTabs } from "../keys/SnippetTabs.tsx";
import type { ApiCall } from "./playground-request.ts";

/** The same call from a program. It reads its key from a variable, since the playground's own key ends within a day. */
export function SameAs({ server, call }: { readonly server: ApiServer; readonly call: ApiCall }): ReactNode {
  return <SnippetTabs label="The same call from a program" snippets={callSnippets(server, call, null)} />;
}
