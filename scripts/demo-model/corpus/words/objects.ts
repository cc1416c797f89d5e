import { phrases } from "./lists.ts";

/** Subjects of reviews, prices and copied texts. */
export const products = phrases(`
  laptop | phone | camera | book | hotel | restaurant | coffee | film | chair | printer | keyboard |
  headset | jacket | bicycle | lamp | tablet | pizza | train ride | concert | course | service | delivery |
  app | update | game | room | breakfast | screen | battery | support team | backpack | speaker | website |
  mattress | kettle | show | flight | soup | cake | museum
`);

/** Plurals and mass nouns that go on a shopping list. */
export const goods = phrases(`
  apples | pears | plums | milk | bread | cheese | rice | nails | screws | paint | paper | pens | stamps |
  candles | soap | towels | tea | sugar | salt | pasta | beans | eggs | flour | butter | glue | tape |
  cables | lamps | plates | cups | forks | spoons | socks | gloves | ropes | maps
`);

/** Things that somebody keeps somewhere. */
export const belongings = phrases(`
  the keys | the red folder | the spare battery | the blue cup | the old map | the tickets | the camera |
  the umbrella | the phone charger | the contract | the garden shears | the letters | the small radio |
  the passport
`);

/** Places where somebody keeps a thing. */
export const hidingPlaces = phrases(`
  in the drawer | under the stairs | on the top shelf | in the garage | behind the door | in the kitchen |
  next to the printer | in the green box | on the desk | in the car | at the office | in the cellar |
  near the window | in the locker
`);
