import { expect, it } from "vitest";
import { translatorOf } from "./translate.ts";

const translate = translatorOf(
  [
    ["This is no time.", "Das ist keine Zeit."],
    ["{0} of {1} (all) fit.", "Von {1} passen {0}."],
    ["# job waits.", "# Auftrag wartet."],
    ["# jobs wait.", "# Aufträge warten."],
    ["A model called {0} exists.", "Das Modell {0} gibt es."],
  ],
  { ofCount: (count) => `<${String(count)}>`, of: (value) => value.toUpperCase() },
);

it.each([
  ["This is no time.", "Das ist keine Zeit."],
  ["a of b (all) fit.", "Von B passen A."],
  ["1 job waits.", "<1> Auftrag wartet."],
  ["1,234 jobs wait.", "<1234> Aufträge warten."],
  ["A model called $& exists.", "Das Modell $& gibt es."],
  ["A model called {0} exists.", "Das Modell {0} gibt es."],
])("translates %s", (english, translated) => {
  expect(translate(english)).toBe(translated);
});

it.each(["This is a new sentence.", "So: This is no time.", "many jobs wait."])(
  "does not know %s",
  (english) => {
    expect(translate(english)).toBeNull();
  },
);
