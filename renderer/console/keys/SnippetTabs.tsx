import { type ReactNode, useState } from "react";
import { Copyable } from "../../ui/controls/Copyable.tsx";
import { Tabs } from "../../ui/controls/Tabs.tsx";
import type { Snippet } from "./snippets.ts";

type Props = { readonly label: string; readonly snippets: readonly [Snippet, ...Snippet[]] };

/** The same example in several languages, ready to copy. */
export function SnippetTabs({ label, snippets }: Props): ReactNode {
  const [shown, setShown] = useState(snippets[0].label);
  return (
    <Tabs
      label={label}
      value={shown}
      onChange={setShown}
      tabs={snippets.map((snippet) => ({
        value: snippet.label,
        label: snippet.label,
        content: <Copyable block text={snippet.text} label={`the ${snippet.label} example`} />,
      }))}
    />
  );
}
