import { afterEach, expect, it } from "vitest";
import { sayServerSentence, setServerSentences } from "./server-sentences.ts";

afterEach(() => setServerSentences([]));

it("says a sentence of the server in the language of the page, with its values", () => {
  setServerSentences([
    ["This is no time.", "Das ist keine Zeit."],
    ["Only {0} are available.", "Es sind nur {0} verfügbar."],
    ["{0} of {1} (all) fit.", "Von {1} passen {0}."],
    ["Too many codes were tried.", "Es wurden zu viele Codes versucht."],
  ]);
  expect(sayServerSentence("This is no time.")).toBe("Das ist keine Zeit.");
  expect(sayServerSentence("Only 1.5 credits are available.")).toBe("Es sind nur 1.5 credits verfügbar.");
  expect(sayServerSentence("2 of 3 (all) fit.")).toBe("Von 3 passen 2.");
  expect(sayServerSentence("Too many codes were tried. Try again in 1 second.")).toBe(
    "Es wurden zu viele Codes versucht. Try again in 1 second.",
  );
  expect(sayServerSentence("Too many codes were tried. Try again in 1200 seconds.")).toBe(
    "Es wurden zu viele Codes versucht. Try again in 1,200 seconds.",
  );
});

it("keeps a sentence that has no translation, and values as they are", () => {
  expect(sayServerSentence("This is no time.")).toBe("This is no time.");
  setServerSentences([["A model called {0} exists already.", "Das Modell {0} gibt es schon."]]);
  expect(sayServerSentence("A model called $& exists already.")).toBe("Das Modell $& gibt es schon.");
  expect(sayServerSentence("A model called {0} exists already.")).toBe("Das Modell {0} gibt es schon.");
  expect(sayServerSentence("So: A model called a exists already.")).toBe(
    "So: A model called a exists already.",
  );
  expect(sayServerSentence("A new rule. Try again in 5 seconds.")).toBe(
    "A new rule. Try again in 5 seconds.",
  );
});
