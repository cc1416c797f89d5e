import { phrases } from "./lists.ts";

/** Events: the main point of a text to summarize. */
export const deeds = phrases(`
  opened a new shop | won a prize | gave a talk | started a course | sold the old house |
  planted forty trees | repaired the bridge | found a lost dog | wrote a report | painted a large picture |
  visited the factory | presented the plan | signed the contract | moved the office | hired ten people |
  launched a small app | cancelled the meeting | bought a used van | built a wooden boat | taught a class
`);

/** Asides that a summary leaves out. */
export const asides = phrases(`
  The weather was mild that day | Many people came to watch | It took about two hours |
  Coffee was served afterwards | The local paper printed a photo | Some guests arrived late |
  Nobody had expected it | The street was quiet | A neighbour helped a little |
  There was music in the background | The mood was good | It was the first time in years |
  The costs were not named | Later everyone went home | The next step is still open
`);
