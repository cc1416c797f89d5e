import { phrases } from "./lists.ts";

/** Sentences about each topic. The topic's name is the answer. */
export const topics: readonly (readonly [name: string, entries: readonly string[]])[] = [
  [
    "sports",
    phrases(`
    The team won the match with a late goal | The runner finished the race in record time |
    The coach trained the players all week | The striker scored twice in the final |
    The swimmer took the gold medal | The tennis player lost the last set |
    The league starts again in August
  `),
  ],
  [
    "weather",
    phrases(`
    Heavy rain is expected tonight | Tomorrow will be sunny with a light wind |
    Snow fell on the hills this morning | The storm brought thunder and hail |
    Temperatures will drop below zero | Fog will clear by noon | A warm front arrives from the south
  `),
  ],
  [
    "food",
    phrases(`
    The chef cooked a soup with fresh herbs | Bake the bread for forty minutes |
    The recipe needs two eggs and some flour | The new restaurant serves spicy noodles |
    Add salt and pepper to the sauce | The cake was filled with cream | Grill the fish with lemon
  `),
  ],
  [
    "travel",
    phrases(`
    The flight to the island leaves at dawn | We booked a hotel near the beach |
    The train crosses the mountains in two hours | Tourists visited the old castle |
    Pack a passport and a light bag | The ferry stops at three harbours | Our guide showed us the old town
  `),
  ],
  [
    "technology",
    phrases(`
    The new chip runs faster and uses less power | The update fixes a bug in the browser |
    Engineers trained a language model on the cluster | The phone has a larger battery |
    The server stores the data in the cloud | The robot learned to sort parcels |
    A new graphics card was announced
  `),
  ],
  [
    "health",
    phrases(`
    Doctors advise more sleep and daily walks | The clinic offers a free blood test |
    A balanced diet lowers the risk of illness | The nurse gave the patient a vaccine |
    Stretching helps against back pain | The hospital opened a new ward | Drink enough water on hot days
  `),
  ],
  [
    "music",
    phrases(`
    The band released a new album | The singer performed with a full orchestra |
    He plays the violin every evening | The concert sold out in an hour | The song has a slow piano intro |
    The choir practised for the festival | She wrote a tune for the guitar
  `),
  ],
  [
    "finance",
    phrases(`
    The bank raised its interest rate | Shares fell after the weak report |
    The company earned more profit this quarter | Inflation slowed for the third month |
    Investors bought bonds | The budget includes a new tax | The loan must be repaid in five years
  `),
  ],
];
