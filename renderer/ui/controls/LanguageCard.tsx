import type { ReactNode } from "react";
import { isLanguage, languageOf, languages } from "../../../app/format/languages.ts";
import { chooseLanguage, chosenLanguage } from "../../languages/choose-language.ts";
import { Card } from "../Card.tsx";
import { Select } from "./Select.tsx";

type Props = {
  /** The choice counts for the pages in this browser, or for the desktop program with its tray. */
  readonly place: "browser" | "program";
  readonly onReload?: () => void;
  /** What else the choice is for. */
  readonly children?: ReactNode;
};

/** The language of the pages here. They reload for another one. */
export function LanguageCard({ place, onReload, children }: Props): ReactNode {
  const own = languages[languageOf(null, window.navigator.languages)];
  const isProgram = place === "program";
  const change = (value: string): void => {
    chooseLanguage(window.localStorage, isLanguage(value) ? value : null);
    onReload?.();
    window.location.reload();
  };
  return (
    <Card title="Language">
      <div className="max-w-sm">
        <Select
          label={isProgram ? "Language of this program" : "Language of this browser"}
          value={chosenLanguage(window.localStorage) ?? ""}
          options={[
            {
              value: "",
              label: isProgram ? `As the system has it (${own})` : `As the browser has it (${own})`,
            },
            ...Object.entries(languages).map(([value, label]) => ({ value, label })),
          ]}
          onChange={change}
        />
        {children}
      </div>
    </Card>
  );
}
