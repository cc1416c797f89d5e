import type { ReactNode } from "react";
import {
  chooseLanguage,
  chosenLanguage,
  isLanguage,
  languageOf,
  languages,
} from "../../languages/choose-language.ts";
import { Card } from "../../ui/Card.tsx";
import { Select } from "../../ui/controls/Select.tsx";

/** The language of the pages in this browser. */
export function LanguageCard(): ReactNode {
  const ofBrowser = languages[languageOf(null, window.navigator.languages)];
  const change = (value: string): void => {
    chooseLanguage(window.localStorage, isLanguage(value) ? value : null);
    window.location.reload();
  };
  return (
    <Card title="Language">
      <div className="max-w-sm">
        <Select
          label="Language of this browser"
          value={chosenLanguage(window.localStorage) ?? ""}
          options={[
            { value: "", label: `As the browser has it (${ofBrowser})` },
            ...Object.entries(languages).map(([value, label]) => ({ value, label })),
          ]}
          onChange={change}
        />
      </div>
    </Card>
  );
}
